/* The search: every word must be in a section; words in headings count more. The index is a script of its own, so that the
   site also works from a directory, and it is loaded when somebody begins to type. */
const base = document.documentElement.dataset.base
const input = document.querySelector('.search input')
const list = document.querySelector('.found')
const SHOWN = 12
let loading = null
let at = -1

function index() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${base}search-index.js`
    script.onload = () => resolve(globalThis.fanlaneSearch.map((entry) => [...entry, entry[3].toLowerCase()]))
    script.onerror = reject
    document.head.append(script)
  })
  return loading
}

function score([page, heading, , , text], words) {
  let sum = 0
  for (const word of words) {
    const title = page.toLowerCase()
    const section = heading.toLowerCase()
    if (section === word || title === word) sum += 40
    else if (section.includes(word)) sum += 12
    else if (title.includes(word)) sum += 8
    else if (text.includes(word)) sum += 1 + Math.min(3, text.split(word).length - 1)
    else return 0
  }
  return sum
}

function excerpt(text, word) {
  const found = Math.max(0, text.toLowerCase().indexOf(word) - 40)
  return `${found > 0 ? '…' : ''}${text.slice(found, found + 120)}…`
}

async function search() {
  const words = input.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1)
  if (words.length === 0) return show([], words)
  const entries = await index()
  const hits = entries.map((entry) => [score(entry, words), entry]).filter(([sum]) => sum > 0)
  show(
    hits
      .sort(([a], [b]) => b - a)
      .slice(0, SHOWN)
      .map(([, entry]) => entry),
    words,
  )
}

function show(entries, words) {
  at = -1
  list.replaceChildren(
    ...entries.map(([page, heading, url, text]) => {
      const link = document.createElement('a')
      link.href = base + url
      const name = document.createElement('b')
      name.textContent = heading === '' || heading === page ? page : `${page} › ${heading}`
      const line = document.createElement('span')
      line.textContent = excerpt(text, words[0])
      link.append(name, line)
      const item = document.createElement('li')
      item.append(link)
      return item
    }),
  )
  if (words.length > 0 && entries.length === 0)
    list.append(Object.assign(document.createElement('li'), { textContent: 'Nothing found.' }))
  list.hidden = words.length === 0
}

input.addEventListener('input', search)
input.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')]
  if (event.key === 'Escape') {
    input.value = ''
    show([], [])
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    at = Math.max(0, Math.min(links.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)))
    for (const [n, link] of links.entries()) link.classList.toggle('at', n === at)
    links[at]?.scrollIntoView({ block: 'nearest' })
  } else if (event.key === 'Enter') links[Math.max(0, at)]?.click()
})
addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault()
    input.focus()
  }
})
addEventListener('click', (event) => {
  if (!event.target.closest('.search')) list.hidden = true
})
