// The selected entry: readable, as it is, and the state after it.
import type { LogEntry } from 'bridle/history'
import { useState } from 'react'
import { Code, jsonText } from '../../../ui/code.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { Segments } from '../segments.tsx'
import { JsonTree } from '../tree/json-tree.tsx'
import type { TreePath } from '../tree/tree-path.ts'
import { EntryCopies } from './entry-copies.tsx'
import { PayloadPane } from './payload-pane.tsx'
import { useStateAfter } from './use-state-after.ts'

const LOOKS = ['Pretty', 'Raw', 'State after'] as const
type Look = (typeof LOOKS)[number]

export const EntryPane = ({ entry }: { readonly entry: LogEntry | undefined }) => {
  const [look, setLook] = useState<Look>('Pretty')
  const [path, setPath] = useState<TreePath>(['payload'])
  if (!entry)
    return (
      <section className="debug-entry" aria-label="Event">
        <div className="debug-h">
          <span className="t3">Select an event to read it.</span>
        </div>
      </section>
    )
  return (
    <section className="debug-entry" aria-label={`Event ${entry.seq}`}>
      <div className="debug-h">
        <span className="mono t3">{entry.seq}</span>
        <span className="mono medium trunc">{visibleText(entry.type)}</span>
        <span className="right">
          <Segments label="Shown as" options={LOOKS} selected={look} onSelect={setLook} />
        </span>
      </div>
      <ScrollBox className="debug-entry-b" label={`Event ${entry.seq}, ${look}`}>
        {look === 'Pretty' && (
          <>
            <PayloadPane entry={entry} />
            <JsonTree key={entry.seq} value={entry} depth={2} selected={path} onSelect={setPath} />
          </>
        )}
        {look === 'Raw' && <Code key={entry.seq} text={jsonText(entry)} label="json" />}
        {look === 'State after' && <StateAfterPane seq={entry.seq} path={path} onSelect={setPath} />}
      </ScrollBox>
      <EntryCopies entry={entry} path={path} />
    </section>
  )
}

interface StateAfterPaneProps {
  readonly seq: number
  readonly path: TreePath
  readonly onSelect: (path: TreePath) => void
}

const StateAfterPane = ({ seq, path, onSelect }: StateAfterPaneProps) => {
  const { moment, problem } = useStateAfter(seq)
  if (problem !== null) return <p className="small t3">{visibleText(problem)}</p>
  if (!moment) return <p className="small t3">Folding the log …</p>
  return <JsonTree value={moment.conversation} depth={1} selected={path} onSelect={onSelect} />
}
