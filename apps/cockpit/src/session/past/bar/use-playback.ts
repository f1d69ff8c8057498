// Plays the log from the cursor on, until its end or until somebody stops it.
import { useCallback, useEffect, useState } from 'react'
import { nextStep } from './playback.ts'

interface Playback {
  readonly isPlaying: boolean
  readonly start: () => void
  readonly stop: () => void
}

interface PlayedCursor {
  readonly seq: number
  readonly head: number
  readonly typeOf: (seq: number) => string | undefined
  readonly show: (seq: number) => void
}

const calm = matchMedia('(prefers-reduced-motion: reduce)')

export const usePlayback = ({ seq, head, typeOf, show }: PlayedCursor): Playback => {
  const [isPlaying, setPlaying] = useState(false)
  useEffect(() => {
    if (!isPlaying) return
    const step = nextStep({ head, typeOf }, seq, calm.matches)
    if (!step) return setPlaying(false)
    const timer = setTimeout(() => show(step.seq), step.stayMs)
    return () => clearTimeout(timer)
  }, [isPlaying, seq, head, typeOf, show])
  return {
    isPlaying,
    start: useCallback(() => setPlaying(true), []),
    stop: useCallback(() => setPlaying(false), []),
  }
}
