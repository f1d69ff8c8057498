// The level of the microphone. Its fifty values a second go to the bar alone, and not through React.
import type { VoiceDialogue } from 'bridle/voice'
import { useEffect, useRef } from 'react'

export const LevelMeter = ({ dialogue }: { readonly dialogue: VoiceDialogue }) => {
  const bar = useRef<HTMLElement>(null)
  useEffect(
    () => dialogue.onLevel((level) => bar.current?.style.setProperty('transform', `scaleX(${level.toFixed(2)})`)),
    [dialogue],
  )
  return (
    <span className="voice-level" aria-hidden="true">
      <i ref={bar} />
    </span>
  )
}
