// Takes away every cookie that the page can see: the shop keeps baskets and consents there.
document.cookie.split('; ').forEach((cookie) => {
  document.cookie = `${cookie.split('=')[0]}=; path=/; max-age=0`;
})
