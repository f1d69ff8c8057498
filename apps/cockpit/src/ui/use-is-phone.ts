import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 767px)')

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** True where the window has the width of a phone: the same width as in `phone.css`. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
