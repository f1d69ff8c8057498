import type { ToolCallMessagePartProps } from '@assistant-ui/react'
import { ApprovalForm } from './approval-form.tsx'
import { asksQuestion, QuestionForm } from './question-form.tsx'

export const ToolCard = (call: ToolCallMessagePartProps) => {
  const { toolName, args, approval } = call
  const isApproval = approval !== undefined && approval.approved === undefined && !approval.resolution
  const isQuestion = asksQuestion(call)
  const isAsked = isApproval || isQuestion
  const standing = isQuestion ? 'needs an answer' : isApproval ? 'needs approval' : standingOf(call)
  const head = (
    <>
      <code>{toolName}</code>
      {!isAsked && <span className="brief">{briefOf(args)}</span>}
      <span className="standing">{standing}</span>
    </>
  )
  return (
    <section className="tool" data-standing={standing} aria-label={`${toolName}: ${standing}`}>
      {isAsked ? (
        <>
          <div className="head">{head}</div>
          {isApproval && <ApprovalForm approvalId={approval.id} reason={approval.prompt} args={args} />}
          {isQuestion && <QuestionForm args={args} addResult={call.addResult} />}
        </>
      ) : (
        <details>
          <summary className="head">{head}</summary>
          <pre>{JSON.stringify(args, null, 2)}</pre>
          {call.result != null && <pre>{textOf(call.result)}</pre>}
        </details>
      )}
    </section>
  )
}

// A call's own status is that of its message until it has a result, so another call's question must not show here.
const standingOf = ({ approval, status, isError }: ToolCallMessagePartProps) => {
  if (approval?.approved === false) return 'denied'
  if (approval?.resolution) return approval.resolution
  if (status.type === 'complete') return isError ? 'failed' : 'done'
  return status.type === 'incomplete' ? 'stopped' : 'running'
}

const briefOf = (args: object): string => Object.values(args).map(textOf).join(' ')
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
