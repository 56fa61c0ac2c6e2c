/** Dark or light: what the system says, unless somebody chose. Canvases ask here for their colours, too. */
import { useEffect, useState } from 'preact/hooks'

export type Theme = 'dark' | 'light'

const storageKey = 'fanlane-theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let chosen = stored()

export const currentTheme = (): Theme => chosen ?? (system.matches ? 'dark' : 'light')

export function applyTheme(): void {
  if (chosen !== null) document.documentElement.dataset.theme = chosen
}

export function toggleTheme(): void {
  chosen = currentTheme() === 'dark' ? 'light' : 'dark'
  applyTheme()
  store(chosen)
  for (const listener of listeners) listener()
}

/** Storage can be forbidden: then the choice lasts as long as the page. */
function store(theme: Theme): boolean {
  try {
    localStorage.setItem(storageKey, theme)
    return true
  } catch {
    return false
  }
}

system.addEventListener('change', () => {
  for (const listener of listeners) listener()
})

export function useTheme(): Theme {
  const [theme, setTheme] = useState(currentTheme)
  useEffect(() => {
    const change = (): void => setTheme(currentTheme())
    listeners.add(change)
    return () => {
      listeners.delete(change)
    }
  }, [])
  return theme
}

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(storageKey)
    return value === 'dark' || value === 'light' ? value : null
  } catch {
    return null
  }
}
