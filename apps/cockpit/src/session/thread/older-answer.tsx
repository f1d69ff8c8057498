// An answer above the window of assistant-ui, with the same rows.
import { type HarnessMessage, type HarnessPart, partText } from 'bridle/client'
import { Fragment, memo, type ReactNode } from 'react'
import { AnswerEnd } from './answer-end.tsx'
import { CallPart } from './call-part.tsx'
import { Anchored } from './markers/anchored.tsx'
import { MarkerPart } from './markers/marker-part.tsx'
import { Markers } from './markers/marker-row.tsx'
import { placedMarkers } from './markers/placed-markers.ts'
import { TextPart } from './text-part.tsx'
import { Thinking } from './thinking.tsx'
import { useThreadIndex } from './thread-context.tsx'
import {
  artifactAnchor,
  compactionAnchor,
  emptyTurnMarkers,
  type TurnMarkers,
  textAnchor,
  thoughtAnchor,
} from './thread-index.ts'
import { ArtifactRow } from './tools/artifact-row.tsx'

export const OlderAnswer = memo(({ message }: { readonly message: HarnessMessage }) => {
  const { turns } = useThreadIndex()
  const turn = (message.runId !== undefined && turns.get(message.runId)) || emptyTurnMarkers
  const markers = placedMarkers(turn, message)
  // Calls in their order; a server of the bare document sends no parts.
  const parts = message.parts?.length ? message.parts : bareParts(message)
  return (
    <article className="msg answer" aria-label="Answer" data-message={message.id}>
      <Markers markers={markers.atStart} />
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts only come at the end
        <Fragment key={at}>{partElement(message, part, at, markers)}</Fragment>
      ))}
      <AnswerEnd message={message} markers={markers.atEnd} />
    </article>
  )
})

const bareParts = ({ content, toolCalls = [] }: HarnessMessage): readonly HarnessPart[] => [
  ...(content === '' ? [] : [{ type: 'text', from: 0 } as const]),
  ...toolCalls.map(({ id }) => ({ type: 'tool', toolCallId: id }) as const),
]

/** How many parts of the same type, which were not withdrawn, are before this one. */
const livePartsBefore = ({ parts = [] }: HarnessMessage, at: number): number =>
  parts.slice(0, at).filter((part) => part.type === parts[at]?.type && !('superseded' in part && part.superseded))
    .length

const partElement = (message: HarnessMessage, part: HarnessPart, at: number, markers: TurnMarkers): ReactNode => {
  if ('superseded' in part && part.superseded) return null
  switch (part.type) {
    case 'text': {
      const text = message.parts?.length ? partText(message, at) : message.content
      return <TextPart text={text} marks={markers.inText.get(textAnchor(livePartsBefore(message, at)))} />
    }
    case 'reasoning':
      return (
        <Anchored markers={markers} anchor={thoughtAnchor(livePartsBefore(message, at))}>
          <Thinking text={part.text} isRunning={false} markers={markers} />
        </Anchored>
      )
    case 'tool': {
      const call = message.toolCalls?.findLast(({ id, superseded }) => id === part.toolCallId && !superseded)
      return call && <CallPart call={call} runId={message.runId} isOver markers={markers} />
    }
    case 'artifact':
      return (
        <Anchored markers={markers} anchor={artifactAnchor(part.artifactId)}>
          <ArtifactRow artifactId={part.artifactId} name={part.name} />
        </Anchored>
      )
    case 'marker': {
      const before = message.parts?.slice(0, at).filter((each) => each.type === 'marker').length ?? 0
      return (
        <Anchored markers={markers} anchor={compactionAnchor(before)}>
          <MarkerPart kind={part.kind} text={part.text} event={markers.compactions[before]} />
        </Anchored>
      )
    }
  }
}
