// The head of a question: what it is, how old, and how long it waits.
import { formFields } from 'bridle/client'
import { plural } from 'bridle/words'
import { Link } from 'wouter'
import { inboxPath } from '../../shell/paths.ts'
import { Age } from '../../ui/age.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { CardApproval, CardSession } from '../card-approval.ts'
import { Expiry } from '../expiry.tsx'
import { askedTitle } from './question-words.ts'

interface QuestionHeadProps {
  readonly approval: CardApproval
  readonly session: CardSession
  readonly place: 'thread' | 'inbox'
  readonly isSending: boolean
}

export const QuestionHead = ({ approval, session, place, isSending }: QuestionHeadProps) => {
  const { requestedAt, expiresAt, schema } = approval
  return (
    <div className="h">
      <Icon name={isSending ? 'loader-circle' : 'circle-question-mark'} size={14} isSpinning={isSending} />
      <b className="nowrap">{isSending ? 'Sending your answer' : askedTitle(approval)}</b>
      {schema && <span className="small t2 nowrap">{fieldsText(schema)}</span>}
      <span className="right row small t2 card-times">
        {requestedAt !== undefined && (
          <span className="nowrap">
            asked <Age at={requestedAt} isAgo />
          </span>
        )}
        {requestedAt !== undefined && expiresAt && '·'}
        {expiresAt && <Expiry at={expiresAt} isSentence />}
        {place === 'thread' && (
          <Link
            className="nowrap no-phone"
            href={inboxPath({ id: approval.id, sessionId: session.id, agent: session.agent })}
          >
            open in inbox
          </Link>
        )}
      </span>
    </div>
  )
}

/** `4 fields, 2 required`. */
const fieldsText = (schema: NonNullable<CardApproval['schema']>): string => {
  const fields = formFields(schema)
  const required = fields.filter(({ isRequired }) => isRequired).length
  return `${plural(fields.length, 'field')}${required === 0 ? '' : `, ${required} required`}`
}
