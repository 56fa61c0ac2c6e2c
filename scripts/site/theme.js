/* Dark or light: what the reader chose here, else what the system says. Loaded before the page is painted. */
const root = document.documentElement
const chosen = localStorage.getItem('fanlane-theme')
if (chosen !== null) root.dataset.theme = chosen

addEventListener('DOMContentLoaded', () => {
  document.querySelector('.theme').addEventListener('click', () => {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
    const next = (root.dataset.theme ?? system) === 'dark' ? 'light' : 'dark'
    root.dataset.theme = next
    localStorage.setItem('fanlane-theme', next)
  })
  const menu = document.querySelector('.menu')
  menu.addEventListener('click', () => {
    const isOpen = document.body.classList.toggle('menu-open')
    menu.setAttribute('aria-expanded', String(isOpen))
  })
})
