// The question that waits for a person, with the way to its card.

import { plural } from 'bridle/words'
import { approvalBrief } from '../approval/approval-words.ts'
import { useLive } from '../server/server-context.tsx'
import { Age } from '../ui/age.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { usePast } from './past/past-context.ts'
import { useSession } from './session-context.tsx'
import { showApproval } from './thread/show-approval.ts'
import { useHarnessList, useThreadSource } from './thread/thread-context.tsx'
import { toolBrief } from './thread/tools/tool-brief.ts'

export const WaitingCell = () => {
  const { id, agent } = useThreadSource()
  const { past } = useSession()
  const { log } = usePast()
  const word = past ? 'Waiting then' : 'Waiting for you'
  const approvals = useHarnessList((state) => state.approvals ?? [])
  const first = approvals[0]
  const listed = useLive((state) =>
    first
      ? state.approvals.find((each) => each.id === first.id && each.sessionId === id && each.agent === agent)
          ?.requestedAt
      : undefined,
  )
  if (!first)
    return (
      <div className="cell wide no-phone">
        <div className="k">{word}</div>
        <div className="v">
          <span className="t3">nothing</span>
        </div>
      </div>
    )
  const entry = past ? log?.overview.questionOf(first.id) : undefined
  const asked = entry ? new Date(entry.at).toISOString() : listed
  const brief = toolBrief(first.arguments ?? {})
  return (
    <div className={past ? 'cell wide' : 'cell wide hot'}>
      <div className="k">
        <span>{word}</span>
        {asked !== undefined &&
          (past ? (
            <span>
              asked <Age at={asked} isAgo />
            </span>
          ) : (
            <Age at={asked} />
          ))}
        {approvals.length > 1 && <span>{plural(approvals.length, 'request')}</span>}
      </div>
      <div className="v">
        <span className="trunc">
          {first.kind === 'question' ? (
            approvalBrief(first)
          ) : first.kind === 'budget' ? (
            'A budget is used up. Raise it?'
          ) : (
            <>
              Allow <code>{visibleText(first.toolName)}</code>
              {brief !== '' && ` on ${brief}`}?
            </>
          )}
        </span>
        <button type="button" className="link right small medium nowrap" onClick={() => showApproval(first.id)}>
          {first.kind === 'question' ? 'Answer' : 'Review'}
        </button>
      </div>
    </div>
  )
}
