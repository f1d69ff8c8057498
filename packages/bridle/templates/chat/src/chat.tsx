// The page: the conversation, the approvals and questions that wait, and a line to write in.
import { exactJson, exactText, type HarnessApproval, HarnessClient, isOpenQuestion, readAnswer } from 'bridle/client'
import { useHarness } from 'bridle/react'
import { type FormEvent, useState } from 'react'
import { QuestionCard } from './question-card.tsx'

/** The same visitor finds the same conversation. Where people log in, take the id of the user. */
const visitor = (): string => {
  const known = localStorage.getItem('visitor')
  if (known) return known
  const made = crypto.randomUUID()
  localStorage.setItem('visitor', made)
  return made
}

const url = new URL('/ws', location.href)
url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
url.searchParams.set('userId', visitor())
url.searchParams.set('agent', 'helper')
/** Connects at once, reconnects after every cut, and continues where it was. */
const client = new HarnessClient({ url: url.href })

export const Chat = () => {
  const { state, connection, held, questions, submit, cancel, approve, answer } = useHarness(client)
  const [draft, setDraft] = useState('')
  const [refusal, setRefusal] = useState('')
  // Final, such as for an agent that does not exist: no prompt is sent any more.
  const isClosed = connection.phase === 'closed'
  const problem = refusal || (isClosed && connection.error?.message) || state.error
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (draft.trim() === '') return
    setRefusal('')
    submit(draft).catch(({ message }: Error) => setRefusal(message))
    setDraft('')
  }
  /** Shows why an answer was refused. The card stays, for another one. */
  const settle = (answered: Promise<unknown>) => {
    setRefusal('')
    answered.catch(({ message }: Error) => setRefusal(message))
  }
  const isOnline = connection.phase === 'open'
  return (
    <main>
      <header>
        <h1>Chat</h1>
        <small>{isClosed ? 'closed' : isOnline ? 'connected' : `${connection.phase}…`}</small>
      </header>
      <div className="conversation">
        <div>
          <ol>
            {state.messages.map(({ id, role, content, status }) => (
              <li key={id} className={role}>
                {content}
                {status === 'streaming' && <span className="cursor" />}
              </li>
            ))}
            {held.map(({ id, prompt }) => (
              <li key={id} className="user held">
                {prompt}
              </li>
            ))}
          </ol>
          {state.approvals
            ?.filter((approval) => !isOpenQuestion(approval))
            .map((approval) => (
              <Approval
                key={approval.id}
                approval={approval}
                isOnline={isOnline}
                answer={(id, decision) => settle(approve(id, decision))}
              />
            ))}
          {questions.map((question) => (
            <QuestionCard
              key={question.id}
              question={question}
              isOnline={isOnline}
              answer={(form) => settle(answer(question.id, readAnswer(question, form)))}
              decline={() => settle(approve(question.id, 'denied'))}
            />
          ))}
          {problem && <p role="alert">{problem}</p>}
        </div>
      </div>
      <form onSubmit={send}>
        <input
          value={draft}
          disabled={isClosed}
          onChange={(event) => setDraft(event.target.value)}
          placeholder="My name is Ada"
          aria-label="Message"
        />
        {state.status === 'running' ? (
          <button type="button" disabled={!isOnline} onClick={() => cancel()}>
            Stop
          </button>
        ) : (
          <button type="submit" disabled={isClosed}>
            Send
          </button>
        )}
      </form>
    </main>
  )
}

interface ApprovalProps {
  approval: HarnessApproval
  isOnline: boolean
  answer: (id: string, decision: 'approved' | 'denied') => void
}

/** An answer is never sent late, so there is none to give while the server is away. */
const Approval = ({ approval, isOnline, answer }: ApprovalProps) => {
  const { id, toolName, reason, arguments: args } = approval
  return (
    <section aria-label="Approval">
      <strong>{exactText(toolName)}</strong> {exactText(reason ?? '')}
      <pre>{exactJson(args)}</pre>
      <button type="button" disabled={!isOnline} onClick={() => answer(id, 'approved')}>
        Approve
      </button>
      <button type="button" disabled={!isOnline} onClick={() => answer(id, 'denied')}>
        Deny
      </button>
    </section>
  )
}
