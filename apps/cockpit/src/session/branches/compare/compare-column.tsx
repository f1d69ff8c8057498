// A session of the two that are compared: the rows that both have, where they part, and what this session did from there on.

import { durationText, plural } from 'bridle/words'
import type { ReactNode } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { Status } from '../../../ui/status.tsx'
import type { BranchOrigin } from '../branch-dialog.tsx'
import { titleOf } from '../session-name.ts'
import type { Letter } from '../tree/tree-labels.tsx'
import type { ComparedSide } from './comparison.ts'
import type { LogRow } from './log-rows.ts'
import type { ComparedSession } from './use-comparison.ts'

/** Rows of one session behind that line: a person reads fewer, and the timeline has all of them. */
const COMPARED_ROWS_MAX = 300
/** Characters of the last words of a session. */
const LAST_WORDS_CHARS = 4_000

interface CompareColumnProps {
  readonly letter: Letter
  readonly session: ComparedSession
  readonly side: ComparedSide
  /** The words on the line where the two part; null = they do not. */
  readonly parting: ReactNode
  readonly onBranch: (origin: BranchOrigin) => void
}

export const CompareColumn = ({ letter, session, side, parting, onBranch }: CompareColumnProps) => {
  const { detail, isCut } = session
  const name = visibleText(titleOf(detail))
  const branchAt = (seq: number) => () => onBranch({ id: detail.id, agent: detail.agent, title: titleOf(detail), seq })
  const shown = side.own.slice(0, COMPARED_ROWS_MAX)
  return (
    <ScrollBox className="cmp-col" label={`${letter.toUpperCase()}: ${name}`}>
      <header className="cmp-h row">
        <span className={`ab ${letter} on`}>{letter.toUpperCase()}</span>
        <h2 className="medium trunc">{name}</h2>
        {detail.model && <span className="tag trunc">{visibleText(detail.model)}</span>}
        <span className="right">
          <Status status={detail.status} isPill />
        </span>
      </header>
      {side.shared.map((row) => (
        <EventRow key={row.seq} row={row} look="same" onBranch={branchAt(row.seq)} />
      ))}
      {parting !== null && (
        <p className="cmp-first">
          <Icon name="split" size={14} /> {parting}
        </p>
      )}
      {shown.map((row, index) => (
        <EventRow key={row.seq} row={row} look={index === 0 ? 'diffr' : ''} onBranch={branchAt(row.seq)} />
      ))}
      {side.own.length > shown.length && (
        <p className="cmp-more t3">
          {plural(side.own.length - shown.length, 'more row')}: its timeline has all of them.
        </p>
      )}
      {isCut && <p className="cmp-more t3">This log is longer than what is compared here.</p>}
      <LastWords session={session} side={side} />
    </ScrollBox>
  )
}

interface EventRowProps {
  readonly row: LogRow
  readonly look: 'same' | 'diffr' | ''
  readonly onBranch: () => void
}

const EventRow = ({ row, look, onBranch }: EventRowProps) => (
  <div className={`evr ${look}`}>
    <span className="evno">{row.seq}</span>
    <span className={row.tone}>
      <Icon name={row.icon} size={14} isSpinning={row.icon === 'loader-circle'} />
    </span>
    <span className="trunc" title={visibleText(row.text)}>
      {row.tool !== '' && <code>{visibleText(row.tool)}</code>} {visibleText(row.text)}
    </span>
    <span className="num t3">{row.ms !== null && durationText(row.ms)}</span>
    <button
      type="button"
      className="btn ghost icon evr-act"
      aria-label={`Branch from event ${row.seq}`}
      title="Branch from here"
      onClick={onBranch}
    >
      <Icon name="git-branch" size={14} />
    </button>
  </div>
)

const LastWords = ({
  session: { detail },
  side,
}: {
  readonly session: ComparedSession
  readonly side: ComparedSide
}) => {
  const turn = side.turns.at(-1)
  const words = turn?.answer.trim() ?? ''
  if (words === '') return null
  const isResult = turn?.status === 'completed' && detail.status !== 'running'
  return (
    <section className="cmp-last">
      <h3>{isResult ? 'Result' : 'Last words'}</h3>
      <p>
        {visibleText(words.length > LAST_WORDS_CHARS ? `${words.slice(0, LAST_WORDS_CHARS).toWellFormed()}…` : words)}
      </p>
    </section>
  )
}
