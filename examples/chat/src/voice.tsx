// Speaking with the session: hold the button, or let the microphone on. It is there where the server can speak for the agent.
import { openVoiceDialogue, type VoiceDialogue, type VoicePhase } from 'bridle/voice'
import worklet from 'bridle/voice-worklet?worker&url'
import { type KeyboardEvent, useEffect, useState, useSyncExternalStore } from 'react'
import { agentName, voiceUrl } from './client.tsx'

export const Voice = () => {
  const [dialogue, setDialogue] = useState<VoiceDialogue | null>(null)
  useEffect(() => () => dialogue?.close(), [dialogue])
  const state = useSyncExternalStore(dialogue?.subscribe ?? never, () => dialogue?.getSnapshot() ?? null)
  if (!useIsSpoken()) return null
  const open = (): VoiceDialogue => {
    if (dialogue && state?.phase !== 'closed') return dialogue
    const opened = openVoiceDialogue({ url: voiceUrl, agent: agentName, worklet })
    setDialogue(opened)
    return opened
  }
  const onKey = (event: KeyboardEvent, act: () => void): void => {
    if (event.key !== ' ' && event.key !== 'Enter') return
    event.preventDefault()
    if (!event.repeat) act()
  }
  const release = () => dialogue?.release()
  return (
    <section className="voice" aria-label="Voice">
      <button
        type="button"
        className="button"
        aria-pressed={state?.isPressed ?? false}
        onPointerDown={({ currentTarget, pointerId }) => {
          currentTarget.setPointerCapture(pointerId)
          open().press()
        }}
        onPointerUp={release}
        onPointerCancel={release}
        onKeyDown={(event) => onKey(event, () => open().press())}
        onKeyUp={(event) => onKey(event, release)}
        onBlur={release}
      >
        Hold to talk
      </button>
      <label>
        <input
          type="checkbox"
          checked={state?.isHandsFree ?? false}
          onChange={({ target }) => open().setHandsFree(target.checked)}
        />{' '}
        Hands-free
      </label>
      {dialogue && <Level dialogue={dialogue} />}
      {state && <span role="status">{phases[state.phase]}</span>}
      {state?.problem && <span role="alert">{state.problem.message}</span>}
    </section>
  )
}

/** The words are in the thread already: the log has them like anything written. */
const phases: Record<VoicePhase, string> = {
  connecting: 'connecting',
  ready: 'hold the button to talk',
  listening: 'listening',
  hearing: 'hearing you',
  thinking: 'thinking',
  speaking: 'speaking',
  approval: 'waits for your word',
  reconnecting: 'reconnecting',
  closed: 'closed',
}

const Level = ({ dialogue }: { readonly dialogue: VoiceDialogue }) => {
  const [level, setLevel] = useState(0)
  useEffect(() => dialogue.onLevel(setLevel), [dialogue])
  return <meter aria-label="Microphone" value={level} />
}

const useIsSpoken = (): boolean => {
  const [isSpoken, setSpoken] = useState(false)
  useEffect(() => {
    void fetch('/agents')
      .then((answer) => answer.json())
      .then(({ agents }: { agents: { name: string; voice: string | null }[] }) =>
        setSpoken(agents.some(({ name, voice }) => name === agentName && voice !== null)),
      )
      .catch(() => {})
  }, [])
  return isSpoken
}

const never = () => () => {}
