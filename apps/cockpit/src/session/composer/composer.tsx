// The place to write: a prompt, and during a run one that steers it or one that waits for its end.
import { type KeyboardEvent, useEffect, useRef, useSyncExternalStore } from 'react'
import { keyHintOf } from '../../actions/action-table.ts'
import { useAction } from '../../actions/use-action.ts'
import { isTyping } from '../../shell/use-shortcuts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { showError, showToast } from '../../ui/toast.tsx'
import { useSession } from '../session-context.tsx'
import { useConnection, useHarnessValue, useHeldPrompts } from '../thread/thread-context.tsx'
import { useActs } from '../use-acts.ts'
import { TalkButton } from '../voice/talk-button.tsx'
import { useVoice } from '../voice/use-voice.ts'
import { VoiceBar } from '../voice/voice-bar.tsx'
import { keepDraft, readDraft, subscribeDrafts } from './drafts.ts'
import { StopButton } from './stop-button.tsx'
import { readTurnChoice, subscribeTurnChoices } from './turn-choice.ts'
import { TurnChoiceFields } from './turn-choice-fields.tsx'
import { useAttachments } from './use-attachments.ts'
import { WaitingPrompts } from './waiting-prompts.tsx'
import './composer.css'

type Delivery = 'submit' | 'steer'

export const Composer = () => {
  const session = useSession()
  const { harness, detail } = session
  const connection = useConnection()
  const held = useHeldPrompts()
  const voice = useVoice()
  const { stop } = useActs()
  const text = useSyncExternalStore(subscribeDrafts, () => readDraft(session))
  const choice = useSyncExternalStore(subscribeTurnChoices, () => readTurnChoice(session))
  const { attachments, add, remove, clear } = useAttachments()
  const file = useRef<HTMLInputElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  // Somebody who branches wants to say something else there.
  useEffect(() => {
    if (history.state?.writes) field.current?.focus()
  }, [])
  const isRunning = useHarnessValue((state) => state.status === 'running')
  const isOpen = connection.phase === 'open'
  const isSpeaking = voice?.state?.phase === 'speaking'
  const canSteer = detail.capabilities?.features.steer !== false
  const isEmpty = text.trim() === ''
  const isUploading = attachments.some(({ grant }) => grant === null)
  const change = (next: string): void => keepDraft(session, next)
  const send = (delivery: Delivery): void => {
    if (isEmpty || isUploading) return
    const grants = attachments.flatMap(({ grant }) => (grant ? [{ ref_id: grant.ref_id }] : []))
    // A steering prompt belongs to a turn that has its model.
    const options = { ...(delivery === 'submit' && choice), ...(grants.length > 0 && { attachments: grants }) }
    const prompt = text
    change('')
    clear()
    harness[delivery](prompt, options).then(
      (answer) => {
        if (delivery === 'steer' && answer.delivery === 'queued')
          showToast({ text: 'The agent does not listen in the middle of a run: your words are next in the queue.' })
      },
      (error: unknown) => {
        if ((error as { code?: unknown }).code === 'removed') return
        // The words come back, also to a page that was left, unless others were begun meanwhile.
        if (readDraft(session) === '') change(prompt)
        showError(error)
      },
    )
  }
  const isReady = !isEmpty && !isUploading
  const steers = isRunning && isOpen && canSteer
  useAction('message.write', () => field.current?.focus())
  useAction('message.send', isReady ? () => send('submit') : null)
  useAction('message.steer', isReady && steers ? () => send('steer') : null)
  useAction('message.attach', () => file.current?.click())
  useAction('session.stop', isRunning && isOpen ? stop : null)
  useStopKey(isRunning && isOpen, stop)
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send(steers && (event.ctrlKey || event.metaKey) ? 'steer' : 'submit')
  }
  return (
    <div className="composer">
      <WaitingPrompts held={held} />
      {voice?.dialogue && voice.state && <VoiceBar dialogue={voice.dialogue} state={voice.state} onEnd={voice.end} />}
      <div className="box">
        <textarea
          ref={field}
          className="in"
          aria-label="Message"
          rows={Math.min(8, Math.max(1, text.split('\n').length))}
          placeholder={placeholderOf({ isOpen, isRunning, canSteer, engine: visibleText(detail.engine) })}
          value={text}
          onChange={(event) => change(event.target.value)}
          onKeyDown={onKey}
        />
        {attachments.length > 0 && (
          <ul className="attached">
            {attachments.map(({ key, name, grant }) => (
              <li key={key} className="chip">
                <span className="trunc">{visibleText(name)}</span>
                {grant === null && <span className="t3">uploading</span>}
                <IconButton name="x" label={`Remove ${visibleText(name)}`} onClick={() => remove(key)} />
              </li>
            ))}
          </ul>
        )}
        <div className="bar-b">
          <input
            ref={file}
            type="file"
            multiple
            hidden
            aria-label="Files"
            onChange={(event) => {
              for (const each of event.target.files ?? []) void add(each)
              event.target.value = ''
            }}
          />
          <span className="attach">
            <IconButton name="upload" label="Attach a file" onClick={() => file.current?.click()} />
          </span>
          {voice && <TalkButton voice={voice} />}
          <TurnChoiceFields choice={choice} />
          <span className="right row sends">
            {isRunning && (
              // While the agent speaks, Escape silences it: the key stands on that button alone.
              <StopButton isOff={!isOpen} {...(!isSpeaking && { keyHint: keyHintOf('session.stop') })} />
            )}
            {isRunning && isOpen ? (
              <>
                <Button
                  keyHint={keyHintOf('message.send')}
                  isDisabled={isEmpty || isUploading}
                  onClick={() => send('submit')}
                >
                  Queue
                </Button>
                {canSteer && (
                  <Button
                    keyHint={keyHintOf('message.steer')}
                    isDisabled={isEmpty || isUploading}
                    onClick={() => send('steer')}
                  >
                    Steer
                  </Button>
                )}
              </>
            ) : (
              <Button
                look={isOpen ? 'primary' : 'plain'}
                icon={isOpen ? 'send' : 'hourglass'}
                isDisabled={isEmpty || isUploading}
                onClick={() => send('submit')}
              >
                {isOpen ? 'Send' : 'Hold'}
              </Button>
            )}
          </span>
        </div>
      </div>
    </div>
  )
}

interface ComposerState {
  readonly isOpen: boolean
  readonly isRunning: boolean
  readonly canSteer: boolean
  readonly engine: string
}

const placeholderOf = ({ isOpen, isRunning, canSteer, engine }: ComposerState): string => {
  if (!isOpen) return 'Write now, it is held until the connection is back'
  if (!isRunning) return 'Ask, or say what to do next'
  return canSteer ? 'Steer this run, or queue the next prompt' : `Queue the next prompt for ${engine}`
}

/** Escape stops the run, unless it closes something: a dialog, or a field that somebody writes in. */
const useStopKey = (isOn: boolean, stop: () => Promise<boolean>): void => {
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.repeat || event.defaultPrevented || document.querySelector('dialog[open]'))
        return
      const isElsewhere = isTyping(event.target) && !(event.target as HTMLElement).closest('.composer')
      if (!isElsewhere) void stop()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isOn, stop])
}
