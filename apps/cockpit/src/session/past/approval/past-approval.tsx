// An approval as it stood: everything that was asked, controls that are off, and the answer that came later.

import { approvalWords } from '../../../approval/approval-words.ts'
import { ArgumentsView } from '../../../approval/arguments-view.tsx'
import type { CardApproval } from '../../../approval/card-approval.ts'
import { CardFacts } from '../../../approval/card-facts.tsx'
import { Button } from '../../../ui/button.tsx'
import { exactText } from '../../../ui/exact-text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { usePast } from '../past-context.ts'
import { settlementOf, wholeQuestion } from './past-settlement.ts'

interface PastApprovalProps {
  readonly approval: CardApproval
  readonly seq: number
}

export const PastApproval = ({ approval: shown, seq }: PastApprovalProps) => {
  const { log, moveTo } = usePast()
  const { id } = shown
  const question = log?.overview.questionOf(id)
  const approval = wholeQuestion(shown, question)
  const words = approvalWords(approval.kind)
  const answer = settlementOf(log?.overview.answerOf(id), question)
  const why = `The page shows event ${seq}: nothing can be decided here.`
  return (
    <article
      id={`approval-${id}`}
      className="appr past"
      aria-label={`Approval of ${exactText(approval.toolName)} as it stood at event ${seq}`}
      tabIndex={-1}
    >
      <div className="h">
        <Icon name={approval.kind === 'budget' ? 'gauge' : 'shield-alert'} />
        <b className="nowrap">Approval needed</b>
        <code className="trunc grow" title={exactText(approval.toolName)}>
          {exactText(approval.toolName)}
        </code>
        <span className="small t2 nowrap">as it stood at event {seq}</span>
      </div>
      <div className="b">
        <CardFacts approval={approval} />
        {approval.args && approval.kind !== 'budget' && <ArgumentsView args={approval.args} />}
        <div className="acts">
          <Button isDisabled title={why}>
            {words.approve}
          </Button>
          {words.canEdit && (
            <Button isDisabled title={why}>
              Edit
            </Button>
          )}
          <Button isDisabled title={why}>
            {words.deny}
          </Button>
          {answer && (
            <span className="small t2 row later">
              <Icon name="shield-check" size={14} />
              <span>
                At event {answer.seq}: {exactText(answer.text)}
                {answer.changes.length > 0 && (
                  <>
                    , <code>{exactText(answer.changes.join(', '))}</code>
                  </>
                )}
                .{' '}
                <button type="button" className="link" onClick={() => moveTo(answer.seq)}>
                  Go to {answer.seq}
                </button>
              </span>
            </span>
          )}
        </div>
      </div>
    </article>
  )
}
