// The number of the order that the page confirms; null on any other page.
document.getElementById('order-number')?.textContent ?? null
