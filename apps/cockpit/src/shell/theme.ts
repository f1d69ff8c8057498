// Light, dark, or as the system says. The page has one attribute, and the tokens follow it.
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'bridle.theme'
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
let current: Theme = 'system'
const listeners = new Set<() => void>()

export const storedTheme = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'

export const applyTheme = (theme: Theme): void => {
  current = theme
  localStorage.setItem(KEY, theme)
  document.documentElement.dataset.theme = theme === 'system' ? (systemIsDark.matches ? 'dark' : 'light') : theme
  for (const listener of listeners) listener()
}

/** The palette changes the theme too: the switch follows. */
export const subscribeTheme = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

systemIsDark.addEventListener('change', () => applyTheme(current))
