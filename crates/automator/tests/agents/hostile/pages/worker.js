// Sends what it can to another server, from outside the page.
fetch('http://{{elsewhere}}/worker-file', { mode: 'no-cors' }).catch(() => {});
try {
  new WebSocket('ws://{{elsewhere}}/worker-file-socket');
} catch {}
