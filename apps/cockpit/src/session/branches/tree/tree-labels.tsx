// The names of the sessions left of their lines, and the letters with which two of them are chosen.
import type { TreeSession } from 'bridle/client'
import { Link } from 'wouter'
import { sessionPath } from '../../../shell/paths.ts'
import { visibleText } from '../../../ui/plain-text.ts'
import { titleOf } from '../session-name.ts'

export type Letter = 'a' | 'b'

interface TreeLabelsProps {
  readonly sessions: readonly TreeSession[]
  readonly a: string | null
  readonly b: string | null
  readonly onChoose: (letter: Letter, id: string) => void
}

export const TreeLabels = ({ sessions, a, b, onChoose }: TreeLabelsProps) => (
  <ul className="br-labels" aria-label="Sessions of the tree">
    {sessions.map((session) => (
      <li key={session.id}>
        <span className="row br-letters">
          {session.visible && <LetterButton letter="a" session={session} chosen={a} onChoose={onChoose} />}
          {session.visible && <LetterButton letter="b" session={session} chosen={b} onChoose={onChoose} />}
        </span>
        <span className="br-name">
          {session.visible ? (
            <Link className="trunc medium" href={sessionPath(session)} title={visibleText(titleOf(session))}>
              {visibleText(titleOf(session))}
            </Link>
          ) : (
            <span className="trunc t3">{session.gap === 'removed' ? 'Removed session' : 'Not available'}</span>
          )}
          <span className="trunc small t3">
            {visibleText(session.id)}
            {session.parent && `, at event ${session.parent.seq}`}
          </span>
        </span>
      </li>
    ))}
  </ul>
)

interface LetterButtonProps extends Pick<TreeLabelsProps, 'onChoose'> {
  readonly letter: Letter
  readonly session: TreeSession
  readonly chosen: string | null
}

const LetterButton = ({ letter, session, chosen, onChoose }: LetterButtonProps) => (
  <button
    type="button"
    className={`ab ${letter}`}
    aria-pressed={session.id === chosen}
    aria-label={`Compare ${visibleText(titleOf(session))} as ${letter.toUpperCase()}`}
    onClick={() => onChoose(letter, session.id)}
  >
    {letter.toUpperCase()}
  </button>
)
