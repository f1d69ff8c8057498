import { useEffect, useState } from 'react'

/** A card takes no answer before somebody could have seen it: the second click of a double click must not approve the next one. */
const ARMED_AFTER_MS = 400

/** False for a moment after the card appears: a click or key that was meant for the card before it decides nothing. */
export const useArmed = (): boolean => {
  const [isArmed, setArmed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMED_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isArmed
}
