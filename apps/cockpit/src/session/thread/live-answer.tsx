// An answer in the window of assistant-ui, whose parts these components render.
import {
  type DataMessagePartProps,
  MessagePrimitive,
  type ReasoningMessagePartProps,
  type TextMessagePartProps,
  type ToolCallMessagePartProps,
  useAui,
  useAuiState,
} from '@assistant-ui/react'
import type { HarnessMessage, HarnessState } from 'bridle/client'
import { AnswerEnd } from './answer-end.tsx'
import { ApprovalPlace } from './approval-place.tsx'
import { CallPart } from './call-part.tsx'
import { isAtWork } from './is-at-work.ts'
import { Anchored } from './markers/anchored.tsx'
import { MarkerPart } from './markers/marker-part.tsx'
import { Markers } from './markers/marker-row.tsx'
import { placedMarkers } from './markers/placed-markers.ts'
import { TextPart } from './text-part.tsx'
import { Thinking } from './thinking.tsx'
import { useHarnessValue, useThreadIndex } from './thread-context.tsx'
import {
  artifactAnchor,
  compactionAnchor,
  emptyTurnMarkers,
  type TurnMarkers,
  textAnchor,
  thoughtAnchor,
} from './thread-index.ts'
import { ArtifactRow } from './tools/artifact-row.tsx'

export const LiveAnswer = () => {
  const id = useAuiState((s) => s.message.id)
  // assistant-ui expects an answer at once; the server's own comes when the turn starts.
  const isPlaceholder = useAuiState((s) => s.message.metadata.isOptimistic === true)
  const markers = useTurnMarkers()
  if (isPlaceholder) return null
  return (
    <MessagePrimitive.Root asChild>
      <article className="msg answer" aria-label="Answer" data-message={id}>
        <Markers markers={markers.atStart} />
        <MessagePrimitive.Parts components={parts} />
        <End id={id} markers={markers.atEnd} />
      </article>
    </MessagePrimitive.Root>
  )
}

const End = ({ id, markers }: { readonly id: string; readonly markers: TurnMarkers['atEnd'] }) => {
  const message = useHarnessValue((state) => messageOf(state, id))
  return message ? <AnswerEnd message={message} markers={markers} /> : <Markers markers={markers} />
}

/** Searched from the end: the window holds the last messages. */
export const messageOf = ({ messages }: HarnessState, id: string): HarnessMessage | undefined =>
  messages.findLast((message) => message.id === id)

const useRunId = (): string | undefined => {
  const runId = useAuiState((s) => s.message.metadata.custom.runId)
  return typeof runId === 'string' ? runId : undefined
}

const useTurnMarkers = (): TurnMarkers => {
  const id = useAuiState((s) => s.message.id)
  const runId = useRunId()
  const { turns } = useThreadIndex()
  // Apart: a token changes the message, and neither of these.
  const parts = useHarnessValue((state) => messageOf(state, id)?.parts)
  const places = useHarnessValue((state) => messageOf(state, id)?.places)
  const turn = (runId !== undefined && turns.get(runId)) || emptyTurnMarkers
  return placedMarkers(turn, { ...(parts && { parts }), ...(places && { places }) })
}

/** How many parts of the same type are before this one. */
const usePartsBefore = (type: 'text' | 'reasoning'): number => {
  const { query } = useAui().part
  const index = query !== null && 'index' in query ? query.index : 0
  return useAuiState((s) => s.message.content.slice(0, index).filter((part) => part.type === type).length)
}

const Text = ({ text, status }: TextMessagePartProps) => {
  const { inText } = useTurnMarkers()
  const marks = inText.get(textAnchor(usePartsBefore('text')))
  return <TextPart text={text} isStreaming={status.type === 'running'} marks={marks} />
}

const Reasoning = ({ text, status }: ReasoningMessagePartProps) => {
  const markers = useTurnMarkers()
  return (
    <Anchored markers={markers} anchor={thoughtAnchor(usePartsBefore('reasoning'))}>
      <Thinking text={text} isRunning={status.type === 'running'} markers={markers} />
    </Anchored>
  )
}

const Call = ({ toolCallId, approval }: ToolCallMessagePartProps) => {
  const id = useAuiState((s) => s.message.id)
  const runId = useRunId()
  const markers = useTurnMarkers()
  const call = useHarnessValue((state) =>
    messageOf(state, id)?.toolCalls?.findLast((each) => each.id === toolCallId && !each.superseded),
  )
  const isOver = useHarnessValue((state) => {
    const status = messageOf(state, id)?.status
    return status === 'complete' || status === 'error'
  })
  if (call) return <CallPart call={call} runId={runId} isOver={isOver} markers={markers} />
  // An approval without a call, such as one for more budget, comes as a call of its own.
  return approval ? <ApprovalPlace approvalId={approval.id} /> : null
}

interface MarkData {
  readonly kind?: string
  readonly text?: string
  readonly artifactId?: string
  readonly name?: string
}

const Mark = ({ name, data }: DataMessagePartProps<MarkData>) => {
  const markers = useTurnMarkers()
  const before = useAuiState(
    (s) =>
      s.message.content
        .slice(
          0,
          s.message.content.findIndex((part) => part.type === 'data' && part.data === data),
        )
        .filter((part) => part.type === 'data' && part.name === 'marker').length,
  )
  if (name === 'artifact')
    return (
      <Anchored markers={markers} anchor={artifactAnchor(data.artifactId ?? '')}>
        <ArtifactRow artifactId={data.artifactId ?? ''} name={data.name ?? ''} />
      </Anchored>
    )
  return (
    <Anchored markers={markers} anchor={compactionAnchor(before)}>
      <MarkerPart kind={data.kind ?? name} text={data.text ?? ''} event={markers.compactions[before]} />
    </Anchored>
  )
}

const Working = ({ status }: { readonly status: { readonly type: string } }) => {
  const canWrite = useHarnessValue(isAtWork)
  return status.type === 'running' && canWrite ? (
    <p className="working t3">
      <span className="caret" />
      <span className="vh">Working</span>
    </p>
  ) : null
}

// Outside the component: another object would render every part anew.
const parts = {
  Text,
  Reasoning,
  Empty: Working,
  tools: { Override: Call },
  data: { Fallback: Mark },
}
