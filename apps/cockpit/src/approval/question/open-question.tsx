// A question that waits: its head, what it asks, and the buttons that answer and decline it.
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { takesLetters } from '../../actions/key-text.ts'
import { exactText } from '../../ui/exact-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { ReadingContext, useReading } from '../../ui/reading/reading.ts'
import type { CardApproval, CardSession } from '../card-approval.ts'
import type { Decision } from '../decision.ts'
import { useFrozenText } from '../frozen-text.ts'
import { useArmed } from '../use-armed.ts'
import type { WholeApproval } from '../whole-approval.ts'
import { ExpiryNote } from './expiry-note.tsx'
import { FormQuestion } from './form-question.tsx'
import { QuestionActions } from './question-actions.tsx'
import { problemPlace } from './question-draft.ts'
import { QuestionHead } from './question-head.tsx'
import { QuestionPart } from './question-part.tsx'
import { askedText, askedTitle } from './question-words.ts'
import { type AskedRequest, type RequestDraft, requestAnswer } from './request-draft.ts'
import { KEYED_OPTIONS, useQuestionChoice } from './use-question-choice.ts'

interface OpenQuestionProps {
  readonly approval: CardApproval
  readonly session: CardSession
  readonly whole: WholeApproval
  /** Null while the page loads what is asked. */
  readonly request: AskedRequest | null
  readonly draft: RequestDraft | null
  readonly decision: Decision
  readonly place: 'thread' | 'inbox'
  readonly takesKeys: boolean
  readonly isFocused: boolean
  readonly onChange: (draft: RequestDraft) => void
}

export const OpenQuestion = (props: OpenQuestionProps) => {
  const { approval, session, whole, request, draft, decision, place, takesKeys, isFocused, onChange } = props
  const { state } = decision
  const card = useRef<HTMLElement>(null)
  const isArmed = useArmed()
  const frozenWhy = useFrozenText()
  const choice = useQuestionChoice(card, request, draft, onChange)
  useEffect(() => {
    if (isFocused) card.current?.focus({ preventScroll: place === 'inbox' })
  }, [isFocused, place])
  const toRead = useMemo(() => (request === null ? null : JSON.stringify(request)), [request])
  const { isRead, reading, showUnread } = useReading(toRead)
  const answer = useMemo(() => request && draft && requestAnswer(request, draft), [request, draft])

  const questions = request?.questions ?? []
  const refusal = state.type === 'open' ? state.problem : null
  const refusedPart = refusal === null || request === null ? null : problemPlace(partNames(request), refusal)
  const problems = new Map(answer?.problems)
  if (refusal !== null && refusedPart !== null) problems.set(refusedPart, refusal)

  const isOff = frozenWhy !== null || state.type === 'sending'
  const note = draft?.note?.trim() ?? ''
  const send = (isAnswer: boolean): void => {
    if (!isArmed || isOff || (isAnswer && !(answer?.given && isRead))) return
    void decision.send({
      decision: isAnswer ? 'approved' : 'denied',
      ...(note !== '' && { note }),
      ...(isAnswer && answer?.given && { given: answer.given }),
    })
  }
  const actOf = (key: string): (() => void) | null => {
    if (key === 'Enter') return () => (isRead ? send(true) : showUnread())
    if (key === 'End') return isRead ? null : showUnread
    if (key.toLowerCase() === 'd') return () => send(false)
    if (isOff) return null
    if (key === '0') return choice.clearCurrent
    const chosen = /^[1-9]$/.test(key) ? choice.choices[Number(key) - 1] : undefined
    return chosen === undefined ? null : () => choice.pick(chosen)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target, ctrlKey, metaKey } = event
    const isFromField = key === 'Enter' && (ctrlKey || metaKey)
    if (event.repeat || event.altKey || (!isFromField && (ctrlKey || metaKey || takesLetters(target)))) return
    // Buttons and links have an answer of their own to Enter.
    if (!isFromField && key === 'Enter' && target instanceof Element && target.closest('button, a')) return
    const act = actOf(key)
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }

  return (
    <article
      ref={card}
      id={`approval-${approval.id}`}
      className={`appr question${takesKeys ? ' takes-keys' : ''}`}
      aria-label={`${askedTitle(approval)}: ${exactText(askedText(approval))}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the card work while it has the focus
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <QuestionHead approval={approval} session={session} place={place} isSending={state.type === 'sending'} />
      <div className="b">
        {whole.type === 'loading' && <p className="small t3">Loading the question …</p>}
        {whole.type === 'failed' && (
          <p className="small danger">
            The question could not be loaded: {exactText(whole.error.message)}{' '}
            <button type="button" className="btn ghost" onClick={whole.reload}>
              Try again
            </button>
          </p>
        )}
        <ReadingContext value={reading}>
          {questions.map((question, at) => {
            const own = draft?.questions[at]
            return (
              own && (
                <QuestionPart
                  key={question.id}
                  question={question}
                  draft={own}
                  byDefault={request?.default?.[question.id]}
                  problem={problems.get(question.id) ?? null}
                  keyCount={at === choice.current ? KEYED_OPTIONS : 0}
                  isDisabled={isOff}
                  onSelect={(label) => choice.select(at, label)}
                  onText={(text) => choice.write(at, text)}
                  onFocus={() => choice.setCurrent(at)}
                  onClear={() => choice.clear(at)}
                  isAlone={questions.length === 1}
                />
              )
            )
          })}
          {draft && request?.schema && (
            <FormQuestion
              schema={request.schema}
              reason={approval.reason}
              draft={draft.form}
              problems={problems}
              isDisabled={isOff}
              onChange={(form) => onChange({ ...draft, form })}
            />
          )}
        </ReadingContext>
        <ExpiryNote approval={approval} />
        {draft?.note != null && (
          <label className="field note">
            <Icon name="message-square" size={14} />
            <span className="vh">Note to the agent</span>
            <input
              placeholder="Note to the agent (optional)"
              value={draft.note}
              disabled={isOff}
              onChange={({ target }) => onChange({ ...draft, note: target.value })}
            />
          </label>
        )}
        {refusal !== null && refusedPart === null && (
          <p className="small danger" role="alert">
            {exactText(refusal)}
          </p>
        )}
        {frozenWhy !== null && (
          <p className="small danger row" role="status">
            <Icon name="unplug" size={14} />
            {frozenWhy}
          </p>
        )}
        <QuestionActions
          approval={approval}
          request={request}
          draft={draft}
          answer={answer}
          problemCount={problems.size}
          choices={choice.choices}
          isLarge={place === 'inbox'}
          isArmed={isArmed}
          isRead={isRead}
          frozenWhy={frozenWhy}
          sending={state.type === 'sending' ? state.answer.decision : null}
          takesKeys={takesKeys}
          onShowUnread={showUnread}
          onAnswer={() => send(true)}
          onDecline={() => send(false)}
          onPick={choice.pick}
          onClear={choice.clearCurrent}
          onChange={onChange}
        />
      </div>
    </article>
  )
}

const partNames = ({ questions = [], schema }: AskedRequest): readonly string[] =>
  schema ? Object.keys(schema.properties as object) : questions.map(({ id }) => id)
