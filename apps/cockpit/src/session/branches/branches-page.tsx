// The page of branches: the tree that the session belongs to, and two of its sessions side by side.
import type { SessionTree } from 'bridle/client'
import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { useAction, useActionList } from '../../actions/use-action.ts'
import { useCanBranch } from '../../server/use-can.ts'
import { sessionPath } from '../../shell/paths.ts'
import { Button } from '../../ui/button.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSession } from '../session-context.tsx'
import { ViewBar } from '../views/view-bar.tsx'
import { BranchDialog, type BranchOrigin } from './branch-dialog.tsx'
import { CompareColumn } from './compare/compare-column.tsx'
import { CompareFiles, CompareNumbers } from './compare/compare-numbers.tsx'
import { PromptTable } from './compare/prompt-table.tsx'
import { type ComparedPair, useComparison } from './compare/use-comparison.ts'
import { ReplayButton } from './replay/replay-button.tsx'
import { titleOf } from './session-name.ts'
import { Legend } from './tree/legend.tsx'
import { type Letter, TreeLabels } from './tree/tree-labels.tsx'
import { chosenPair, sharedSeq } from './tree/tree-layout.ts'
import { TreePlot } from './tree/tree-plot.tsx'
import { useSessionTree } from './use-session-tree.ts'
import './branches.css'

const BranchesPage = () => {
  const { data: tree, error, reload } = useSessionTree()
  return (
    <>
      <ViewBar>
        <span className="right row small t3 br-legend">
          <Legend />
        </span>
        <ReplayButton />
      </ViewBar>
      {error && (
        <p className="br-note danger" role="alert">
          {visibleText(error.message)} <Button onClick={reload}>Try again</Button>
        </p>
      )}
      {tree ? <Tree tree={tree} /> : !error && <Skeleton />}
    </>
  )
}

const Tree = ({ tree }: { readonly tree: SessionTree }) => {
  const { id } = useSession()
  const [query, setQuery] = useSearchParams()
  const [origin, setOrigin] = useState<BranchOrigin | null>(null)
  const { a, b } = chosenPair(tree.sessions, id, { a: query.get('a'), b: query.get('b') })
  const choose = (letter: Letter, chosen: string): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        // The other one stays, also where the address does not name it.
        for (const [name, value] of Object.entries({ a, b, [letter]: chosen })) if (value) next.set(name, value)
        return next
      },
      { replace: true },
    )
  const others = (letter: Letter, chosen: string | null) =>
    tree.sessions
      .filter((session) => session.visible && session.id !== chosen)
      .map((session) => ({
        words: `Compare ${visibleText(titleOf(session))} as ${letter.toUpperCase()}`,
        run: () => choose(letter, session.id),
      }))
  useActionList('branches.compare_a', others('a', a))
  useActionList('branches.compare_b', others('b', b))
  const sessionOf = (chosen: string | null) => tree.sessions.find((session) => session.id === chosen)
  const since = a && b ? sharedSeq(tree.sessions, a, b) : null
  const compared = useComparison(sessionOf(a), sessionOf(b), since)
  return (
    <div className="br-page">
      <ScrollBox className="br-tree" label="Tree of branches">
        <TreeLabels sessions={tree.sessions} a={a} b={b} onChoose={choose} />
        <TreePlot tree={tree} a={a} b={b} onBranch={setOrigin} />
      </ScrollBox>
      {tree.truncated && <p className="br-note t3">The tree has more sessions than fit here.</p>}
      {b === null && (
        <p className="br-note t2">
          There is nothing to compare yet. Branch from a checkpoint, from an approval, or from any event, or run the
          session again with a change.
        </p>
      )}
      {compared.error && (
        <p className="br-note danger" role="alert">
          {visibleText(compared.error.message)}
        </p>
      )}
      {compared.isLoading && <Skeleton />}
      {compared.data && <Compared pair={compared.data} onBranch={setOrigin} />}
      {origin && <BranchDialog origin={origin} onClose={() => setOrigin(null)} />}
    </div>
  )
}

interface ComparedProps {
  readonly pair: ComparedPair
  readonly onBranch: (origin: BranchOrigin) => void
}

const Compared = ({ pair, onBranch }: ComparedProps) => {
  const { a, b } = pair.sessions
  const { partsAfter, difference, since } = pair
  const [, navigate] = useLocation()
  const branch = (): void =>
    onBranch({ id: a.detail.id, agent: a.detail.agent, title: titleOf(a.detail), seq: partsAfter })
  useAction('branches.open', () => navigate(sessionPath(b.detail)))
  useAction('branches.branch', useCanBranch() ? branch : null)
  const waiting = [a.detail.status === 'awaiting_approval' && 'A', b.detail.status === 'awaiting_approval' && 'B']
  return (
    <div className="cmp">
      <CompareColumn
        {...{ letter: 'a', session: a, side: pair.a, onBranch }}
        parting={difference === null ? null : `Histories part after event ${partsAfter}`}
      />
      <CompareColumn {...{ letter: 'b', session: b, side: pair.b, onBranch }} parting={difference} />
      <ScrollBox className="cmp-side" label="In numbers">
        <header className="cmp-h row">
          <h2 className="medium">In numbers</h2>
          <span className="right small t3">since event {since}</span>
        </header>
        <div className="cmp-body">
          {difference === null && <p className="t2">Both say the same so far.</p>}
          <CompareNumbers pair={pair} />
          <div className="acts">
            <Link className="btn primary" href={sessionPath(b.detail)}>
              Open B
            </Link>
            <Button icon="git-branch" onClick={branch}>
              Branch from {partsAfter}
            </Button>
          </div>
          <p className="small t3">
            Neither session changes the other.{' '}
            {waiting.filter(Boolean).map((letter) => `${letter} still waits for you. `)}
          </p>
          <PromptTable comparison={pair} />
          <CompareFiles pair={pair} />
        </div>
      </ScrollBox>
    </div>
  )
}

export default BranchesPage
