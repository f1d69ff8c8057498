import type { PendingApproval, SettledApproval } from 'bridle/client'
import { Link } from 'wouter'
import { Expiry } from '../approval/expiry.tsx'
import { askedSize, askedText } from '../approval/question/question-words.ts'
import { Age } from '../ui/age.tsx'
import { argumentSummary } from '../ui/arguments/argument-parts.ts'
import { exactText } from '../ui/exact-text.ts'
import { Icon } from '../ui/icon.tsx'
import { titleText } from '../ui/script-text.ts'

/** Characters of a row: the card has all. */
const ROW_CHARS = 200

interface InboxRowProps {
  readonly approval: PendingApproval
  readonly href: string
  readonly isSelected: boolean
  readonly onOpen: () => void
}

export const InboxRow = ({ approval, href, isSelected, onOpen }: InboxRowProps) => {
  const { kind, title, sessionId, agent, requestedAt, expiresAt } = approval
  const isQuestion = kind === 'question'
  return (
    <Link
      className={`ib${isSelected ? ' on' : ''}`}
      href={href}
      aria-current={isSelected ? 'true' : undefined}
      onClick={onOpen}
    >
      <span className="st needs">
        <Icon name={isQuestion ? 'circle-question-mark' : kind === 'budget' ? 'gauge' : 'shield-alert'} size={14} />
        <span className="vh">{isQuestion ? 'Needs an answer' : 'Needs approval'}</span>
      </span>
      <span className="col grow ib-lines">
        <span className="row">
          <RowSubject approval={approval} />
          <span className="right small t3 nowrap">{expiresAt ? <Expiry at={expiresAt} /> : 'no expiry'}</span>
        </span>
        <span className="row small t3">
          <span className="trunc">
            {shortText(titleText({ title, id: sessionId }))} · {isQuestion ? askedSize(approval) : shortText(agent)}
          </span>
          <span className="right nowrap">
            asked <Age at={requestedAt} isAgo />
          </span>
        </span>
      </span>
    </Link>
  )
}

/** The subject of a row: a question, or a tool with its arguments. */
export const RowSubject = ({ approval }: { readonly approval: PendingApproval | SettledApproval }) => {
  const { kind, toolName, args, reason } = approval
  if (kind === 'question') return <span className="medium trunc">{shortText(askedText(approval))}</span>
  return (
    <>
      <code className="medium trunc ib-tool">{shortText(toolName)}</code>
      <span className="trunc mono t2 ib-args">{shortText(kind === 'budget' ? reason : argumentSummary(args))}</span>
    </>
  )
}

/** The beginning of a text, for one line of a list. */
export const shortText = (text: string): string => exactText(text.slice(0, ROW_CHARS))
