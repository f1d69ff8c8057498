// An answer above the window of assistant-ui, with the same rows.
import { type HarnessMessage, type HarnessPart, partText } from 'bridle/client'
import { Fragment, memo, type ReactNode } from 'react'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { AnswerEnd } from './answer-end.tsx'
import { CallPart } from './call-part.tsx'
import { Anchored } from './markers/anchored.tsx'
import { MarkerPart } from './markers/marker-part.tsx'
import { Markers } from './markers/marker-row.tsx'
import { Thinking } from './thinking.tsx'
import { useThreadIndex } from './thread-context.tsx'
import { artifactAnchor, compactionAnchor, emptyTurnMarkers, type TurnMarkers } from './thread-index.ts'
import { ArtifactRow } from './tools/artifact-row.tsx'

export const OlderAnswer = memo(({ message }: { readonly message: HarnessMessage }) => {
  const { turns } = useThreadIndex()
  const markers = (message.runId !== undefined && turns.get(message.runId)) || emptyTurnMarkers
  // Calls in their order; a server of the bare document sends no parts.
  const parts = message.parts?.length ? message.parts : bareParts(message)
  return (
    <article className="msg answer" aria-label="Answer" data-message={message.id}>
      <Markers markers={markers.atStart} />
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts only come at the end
        <Fragment key={at}>{partElement(message, part, at, markers)}</Fragment>
      ))}
      <Markers markers={markers.atEnd} />
      <AnswerEnd message={message} />
    </article>
  )
})

const bareParts = ({ content, toolCalls = [] }: HarnessMessage): readonly HarnessPart[] => [
  ...(content === '' ? [] : [{ type: 'text', from: 0 } as const]),
  ...toolCalls.map(({ id }) => ({ type: 'tool', toolCallId: id }) as const),
]

const partElement = (message: HarnessMessage, part: HarnessPart, at: number, markers: TurnMarkers): ReactNode => {
  if ('superseded' in part && part.superseded) return null
  switch (part.type) {
    case 'text': {
      const text = message.parts?.length ? partText(message, at) : message.content
      return <Markdown text={text} />
    }
    case 'reasoning':
      return <Thinking text={part.text} isRunning={false} markers={markers} />
    case 'tool': {
      const call = message.toolCalls?.findLast(({ id, superseded }) => id === part.toolCallId && !superseded)
      return call && <CallPart call={call} runId={message.runId} isOver />
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
