// Keys that work on every page: `g` and a letter opens a page. They are off while somebody types.
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { pageLinks } from './pages.ts'

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

export const useShortcuts = (): void => {
  const [, navigate] = useLocation()
  useEffect(() => {
    let last = ''
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      const keys = `${last} ${event.key}`
      last = event.key
      const page = pageLinks.find((link) => link.keys === keys)
      if (!page) return
      event.preventDefault()
      navigate(page.path)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
}
