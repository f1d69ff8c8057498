// The end of an answer: why it ended where that is not plain, what a retry replaced, and what can be done with it.
import type { HarnessMessage } from 'bridle/client'
import { capitalized, endingText, plural } from 'bridle/words'
import { useState } from 'react'
import { useCan } from '../../server/use-can.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { useActs } from '../use-acts.ts'
import { Markers } from './markers/marker-row.tsx'
import { supersededOf } from './superseded.ts'
import { useHarnessValue } from './thread-context.tsx'
import type { Marker } from './thread-index.ts'
import { ToolRow } from './tools/tool-row.tsx'

interface AnswerEndProps {
  readonly message: HarnessMessage
  /** The markers behind the answer. */
  readonly markers: readonly Marker[]
}

export const AnswerEnd = ({ message, markers }: AnswerEndProps) => {
  const { branchAfter, reload } = useActs()
  const canOperate = useCan('operate')
  const isOver = message.status === 'complete' || message.status === 'error'
  const ownFrom = ownMarkersFrom(message, markers)
  return (
    <>
      <Markers markers={markers.slice(0, ownFrom)} />
      <Superseded message={message} />
      {message.status === 'error' && <Failure message={message} />}
      {message.status === 'complete' && message.stopReason !== undefined && (
        <p className="small t3">{visibleText(capitalized(endingText(message.stopReason)))}.</p>
      )}
      <Markers markers={markers.slice(ownFrom)} />
      {isOver && (
        <div className="msg-acts">
          <CopyButton text={message.content} />
          {canOperate && (
            <>
              <IconButton name="rotate-cw" label="Answer again" onClick={() => void reload(message.id)} />
              <IconButton
                name="git-branch"
                label="Branch from this answer"
                onClick={() => void branchAfter(message.id)}
              />
            </>
          )}
        </div>
      )}
    </>
  )
}

/** Where the session's own markers begin: the sentence about the session that it comes from stands before them. */
const ownMarkersFrom = ({ stopReason }: HarnessMessage, markers: readonly Marker[]): number => {
  const at = markers.findIndex(({ type }) => type === BEGINNINGS[stopReason ?? ''])
  return at === -1 ? markers.length : at
}

/** The event with which a session begins where another one left an answer open, by the reason that ended the answer. */
const BEGINNINGS: { readonly [reason: string]: string } = { branched: 'branched', imported: 'session_imported' }

/** The session keeps the error of its last failed answer. */
const Failure = ({ message }: { readonly message: HarnessMessage }) => {
  const error = useHarnessValue((state) =>
    state.error !== undefined && state.messages.findLast(({ status }) => status === 'error') === message
      ? state.error
      : null,
  )
  return (
    <p className="answer-error" role="note">
      <Icon name="circle-x" size={14} />
      <span>{visibleText(error ?? 'The run failed.')}</span>
    </p>
  )
}

const Superseded = ({ message }: { readonly message: HarnessMessage }) => {
  const [isOpen, setOpen] = useState(false)
  const { texts, calls } = supersededOf(message)
  if (texts.length === 0 && calls.length === 0) return null
  return (
    <div>
      <Button look="ghost" icon="rotate-cw" onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide' : 'Show'} what was {message.stopReason === 'interrupted' ? 'not heard' : 'superseded'}
        {calls.length > 0 && `: ${plural(calls.length, 'call')}`}
      </Button>
      {isOpen && (
        <div className="think-open thoughts">
          {texts.map((text, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of text have their place alone
            <p key={at}>{visibleText(text)}</p>
          ))}
          {calls.map((call, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a retry may use an id again
            <ToolRow key={at} call={call} times={undefined} isOver />
          ))}
        </div>
      )}
    </div>
  )
}
