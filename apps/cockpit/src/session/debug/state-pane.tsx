// The state of the conversation as a tree, now or at the event that is looked at.
import { useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { useConnection, useHarnessValue } from '../thread/thread-context.tsx'
import { JsonTree } from './tree/json-tree.tsx'
import { pathText, type TreePath } from './tree/tree-path.ts'

export const StatePane = () => {
  const state = useHarnessValue((now) => now)
  const { lastSeq } = useConnection()
  const [path, setPath] = useState<TreePath | null>(null)
  return (
    <section className="debug-state" aria-label="State">
      <div className="debug-h">
        <h2 className="medium nowrap">State{lastSeq === null ? '' : ` at ${lastSeq}`}</h2>
        {path && (
          <>
            <span className="right mono t3 trunc">{visibleText(pathText(path))}</span>
            <IconButton
              name="copy"
              label="Copy the path"
              onClick={() => void copyText(pathText(path), 'The path is copied.')}
            />
          </>
        )}
      </div>
      <ScrollBox className="debug-state-b" label="State of the conversation">
        <JsonTree value={state} depth={0} selected={path} onSelect={setPath} />
      </ScrollBox>
    </section>
  )
}
