import { useEffect, useState } from 'react'
import { ARMED_AFTER_MS } from './limits.ts'

/** False for a moment after the card appears: a click or key that was meant for the card before it decides nothing. */
export const useArmed = (): boolean => {
  const [isArmed, setArmed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMED_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isArmed
}
