// The dialogue above the composer: its phase, the level of the microphone, captions, and problems in words.
import type { VoiceCaption, VoiceDialogue, VoiceDialogueState } from 'bridle/voice'
import { useEffect } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { showApproval } from '../thread/show-approval.ts'
import { LevelMeter } from './level-meter.tsx'
import { phaseWords } from './phase-words.ts'
import './voice.css'

interface VoiceBarProps {
  readonly dialogue: VoiceDialogue
  readonly state: VoiceDialogueState
  readonly onEnd: () => void
}

export const VoiceBar = ({ dialogue, state, onEnd }: VoiceBarProps) => {
  const { phase, isHandsFree, approval, problem, captions } = state
  const { text, icon } = phaseWords(phase)
  const isSpeaking = phase === 'speaking'
  useSilenceKey(isSpeaking, dialogue)
  return (
    <section className="voice" aria-label="Voice" data-phase={phase}>
      <div className="voice-head">
        <span className="voice-phase nowrap medium">
          <Icon name={icon} size={14} isSpinning={icon === 'loader-circle'} />
          {text}
        </span>
        <LevelMeter dialogue={dialogue} />
        <span className="right row voice-acts">
          {approval && <Button onClick={() => showApproval(approval.id)}>Review</Button>}
          {isSpeaking && (
            <Button keyHint="Esc" onClick={() => dialogue.interrupt()}>
              Silence
            </Button>
          )}
          <Button isPressed={isHandsFree} onClick={() => dialogue.setHandsFree(!isHandsFree)}>
            Hands-free
          </Button>
          <IconButton name="x" label="End voice" onClick={onEnd} />
        </span>
      </div>
      {problem && (
        <p className="voice-problem" role="alert">
          {visibleText(problem.message)}
        </p>
      )}
      {captions.length > 0 && (
        <ul className="voice-captions" aria-label="Captions">
          {captions.slice(-2).map((caption) => (
            <Caption key={caption.id} caption={caption} />
          ))}
        </ul>
      )}
      <LastWords captions={captions} phase={text} />
    </section>
  )
}

const Caption = ({ caption }: { readonly caption: VoiceCaption }) => (
  <li>
    <span className="t3">{speakerOf(caption)}</span> <span className="voice-words">{visibleText(caption.text)}</span>
    {caption.isInterrupted && <span className="t3"> (interrupted)</span>}
  </li>
)

/** For screen readers: whole sentences, never each word as it comes. */
const LastWords = ({ captions, phase }: { readonly captions: readonly VoiceCaption[]; readonly phase: string }) => {
  const last = captions.findLast(({ isFinal, text }) => isFinal && text.trim() !== '')
  return (
    <div className="vh" role="status" aria-live="polite">
      {last && (
        <p>
          {speakerOf(last)}: {visibleText(last.text)}
        </p>
      )}
      <p>{phase}</p>
    </div>
  )
}

const speakerOf = ({ role }: VoiceCaption): string => (role === 'user' ? 'You' : 'Agent')

/** While the agent speaks, Escape silences it and does no more: the log keeps what was heard. */
const useSilenceKey = (isOn: boolean, dialogue: VoiceDialogue): void => {
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return
      event.preventDefault()
      dialogue.interrupt()
    }
    // Before the key that stops a run: an interruption ends the run, too.
    document.addEventListener('keydown', onKey, { capture: true })
    return () => document.removeEventListener('keydown', onKey, { capture: true })
  }, [isOn, dialogue])
}
