// The branches of a session in the inspector: a small tree, and the places from which another branch may begin.
import { useState } from 'react'
import { Link } from 'wouter'
import { sessionPath } from '../../shell/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-names.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { foldScript } from '../../ui/script-text.ts'
import { EventLink, eventNumber } from '../inspector/event-link.tsx'
import { useSession } from '../session-context.tsx'
import { BranchDialog, type BranchOrigin } from './branch-dialog.tsx'
import { ReplayButton } from './replay/replay-button.tsx'
import { titleOf } from './session-name.ts'
import { TreePlot } from './tree/tree-plot.tsx'
import { useSessionTree } from './use-session-tree.ts'
import './branches.css'

const ICONS: { readonly [kind: string]: IconName } = {
  checkpoint: 'flag',
  approval: 'shield-check',
  turn: 'message-square',
}
const WORDS: { readonly [kind: string]: string } = { checkpoint: 'Checkpoint', approval: 'Approval', turn: 'Turn' }

export const BranchesTab = () => {
  const { id, agent, detail } = useSession()
  const { data: tree, error } = useSessionTree()
  const [origin, setOrigin] = useState<BranchOrigin | null>(null)
  const points = detail.resume_points.toReversed()
  return (
    <>
      <section className="sec" aria-label="Branches">
        <h2>
          Branches
          <Link className="right" href={sessionPath({ id, agent }, { view: 'branches' })}>
            Tree and compare
          </Link>
        </h2>
        {error && <p className="small danger">{visibleText(error.message)}</p>}
        {tree && <TreePlot tree={tree} a={id} b={null} isSmall onBranch={setOrigin} />}
        <ReplayButton />
      </section>
      <section className="sec" aria-label="Resume points">
        <h2>Resume points</h2>
        {points.length === 0 && (
          <p className="small t3">None yet: a checkpoint, an approval or the end of a turn is one.</p>
        )}
        {points.map(({ kind, event_id: event, summary }) => (
          <div className="br-point" key={event}>
            <Icon name={ICONS[kind] ?? 'flag'} size={14} />
            <span className="trunc">
              <span className="medium">{WORDS[kind] ?? visibleText(kind)}</span>{' '}
              <span className="t2">{visibleText(foldScript(summary))}</span>
            </span>
            <EventLink id={event} />
            <Button
              look="ghost"
              icon="git-branch"
              onClick={() => setOrigin({ id, agent, title: titleOf(detail), seq: Number(eventNumber(event)) })}
            >
              Branch
            </Button>
          </div>
        ))}
      </section>
      {origin && <BranchDialog origin={origin} onClose={() => setOrigin(null)} />}
    </>
  )
}
