// An open approval and everything needed to answer it: used in the thread of a session and in the inbox.
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { isTyping } from '../shell/use-shortcuts.ts'
import { isSame } from '../ui/diff/key-changes.ts'
import { exactText } from '../ui/exact-text.ts'
import { Icon } from '../ui/icon.tsx'
import { ReadingContext, useReading } from '../ui/reading/reading.ts'
import { approvalWords } from './approval-words.ts'
import { type ArgumentsProblem, draftText, fieldsDraft, parseDraft } from './argument-fields.ts'
import { ArgumentsEditor } from './arguments-editor.tsx'
import { ArgumentsView } from './arguments-view.tsx'
import { CardActions } from './card-actions.tsx'
import { approvalKey, type CardApproval, type CardSession, type CardSettlement } from './card-approval.ts'
import { CardFacts } from './card-facts.tsx'
import { CardHead } from './card-head.tsx'
import { useDecision } from './decision.ts'
import { argumentDrafts, type Draft } from './drafts.ts'
import { useFrozenText } from './frozen-text.ts'
import { QuestionCard } from './question/question-card.tsx'
import { SettledCard } from './settled-card.tsx'
import { useArmed } from './use-armed.ts'
import { useWholeApproval } from './whole-approval.ts'
import './approval.css'

export interface ApprovalCardProps {
  readonly approval: CardApproval
  readonly session: CardSession
  readonly place: 'thread' | 'inbox'
  /** The keys answer this card wherever nobody types. Default: while it has the focus. */
  readonly takesKeys?: boolean
  /** The focus goes to the card when this becomes true. */
  readonly isFocused?: boolean
  /** Called once this page's answer was taken. */
  readonly onDecided?: (settlement: CardSettlement) => void
  readonly onDismiss?: () => void
}

export const ApprovalCard = (props: ApprovalCardProps) => (
  // A draft belongs to one approval: another approval is another card.
  <CardOfKind key={approvalKey(props.session, props.approval.id)} {...props} />
)

const CardOfKind = (props: ApprovalCardProps) =>
  props.approval.kind === 'question' ? <QuestionCard {...props} /> : <KeyedCard {...props} />

const KeyedCard = (props: ApprovalCardProps) => {
  const { approval: listed, session, place, takesKeys = false, isFocused, onDecided, onDismiss } = props
  const key = approvalKey(session, listed.id)
  const [draft, setDraft] = useState<Draft>(() => argumentDrafts.read(key) ?? { args: null, note: '' })
  const decision = useDecision(listed, session, onDecided)
  const whole = useWholeApproval(listed, session)
  const frozenWhy = useFrozenText()
  const isArmed = useArmed()
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isFocused) card.current?.focus({ preventScroll: place === 'inbox' })
  }, [isFocused, place])

  const { state } = decision
  // The list may lose the approval before the server's reply to this page arrives: that is no answer from elsewhere.
  const closed = state.type === 'sending' ? undefined : listed.settlement
  const settlement = state.type === 'given' || state.type === 'late' ? state.settlement : closed
  useEffect(() => {
    const isEmpty = draft.args === null && draft.note === ''
    argumentDrafts.keep(key, settlement || isEmpty ? null : draft)
  }, [key, draft, settlement])

  const approval = whole.type === 'whole' ? whole.approval : listed
  const words = approvalWords(approval.kind)
  const parsed = useMemo(() => draft.args && parseDraft(draft.args), [draft.args])
  // The reason of a budget says in words what it is, and its arguments are not shown.
  const toRead = useMemo(
    () => (approval.args === null || approval.kind === 'budget' ? null : JSON.stringify(approval.args)),
    [approval.args, approval.kind],
  )
  const { isRead, reading, showUnread } = useReading(toRead)
  const isEdited = parsed?.args != null && approval.args !== null && !isSame(parsed.args, approval.args)

  if (settlement || whole.type === 'gone')
    return (
      <SettledCard
        approval={approval}
        settlement={settlement ?? { decision: 'closed', by: null, at: null }}
        isLate={state.type === 'late'}
        lostText={state.type === 'given' || !isEdited ? null : draft.args && draftText(draft.args)}
        {...(onDismiss && { onDismiss })}
      >
        {place === 'inbox' && approval.args && approval.kind !== 'budget' && <ArgumentsView args={approval.args} />}
      </SettledCard>
    )

  const unapprovableWhy = unapprovableText(whole, parsed?.problem ?? null)
  const note = draft.note.trim()
  const send = (answer: 'approved' | 'denied', isPausing = false): void => {
    if (!isArmed || frozenWhy !== null || (answer === 'approved' && (unapprovableWhy !== null || !isRead))) return
    void decision.send({
      decision: answer,
      ...(note !== '' && { note }),
      ...(isPausing && { isPausing }),
      ...(answer === 'approved' && isEdited && parsed?.args && { args: parsed.args }),
    })
  }
  const edit = (): void => {
    if (approval.args && words.canEdit && frozenWhy === null) setDraft({ ...draft, args: fieldsDraft(approval.args) })
  }
  const discard = (): void => {
    setDraft({ ...draft, args: null })
    card.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && draft.args !== null) {
      event.preventDefault()
      event.stopPropagation()
      return discard()
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && draft.args !== null && !event.repeat) {
      event.preventDefault()
      return isRead ? send('approved') : showUnread()
    }
    if (event.key === 'End' && event.target === event.currentTarget && !isRead) {
      event.preventDefault()
      return showUnread()
    }
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const act = { a: () => (isRead ? send('approved') : showUnread()), d: () => send('denied'), e: edit }[
      event.key.toLowerCase()
    ]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }

  return (
    <article
      ref={card}
      id={`approval-${listed.id}`}
      className={place === 'thread' ? `appr${takesKeys ? ' takes-keys' : ''}` : 'appr-page'}
      aria-label={`Approval needed: ${exactText(approval.toolName)}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the card work while it has the focus
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <CardHead approval={approval} session={session} place={place} isSending={state.type === 'sending'} />
      <div className="b">
        <CardFacts approval={approval} />
        {whole.type === 'loading' && <p className="small t3">Loading all of the arguments …</p>}
        {whole.type === 'failed' && (
          <p className="small danger">
            The arguments could not be loaded: {exactText(whole.error.message)}{' '}
            <button type="button" className="btn ghost" onClick={whole.reload}>
              Try again
            </button>
          </p>
        )}
        <ReadingContext value={reading}>
          {whole.type === 'whole' &&
            approval.args &&
            approval.kind !== 'budget' &&
            (draft.args !== null && parsed ? (
              <ArgumentsEditor
                args={approval.args}
                draft={draft.args}
                parsed={parsed}
                isDisabled={state.type === 'sending'}
                onChange={(next) => setDraft({ ...draft, args: next })}
              />
            ) : (
              <ArgumentsView args={approval.args} />
            ))}
        </ReadingContext>
        <label className="field note">
          <Icon name="message-square" size={14} />
          <span className="vh">{words.note}</span>
          <input
            placeholder={`${words.note} (optional)`}
            value={draft.note}
            disabled={state.type === 'sending'}
            onChange={(event) => setDraft({ ...draft, note: event.target.value })}
          />
        </label>
        {state.type === 'open' && state.problem !== null && (
          <p className="small danger" role="alert">
            {exactText(state.problem)}
          </p>
        )}
        {frozenWhy !== null && (
          <p className="small danger row" role="status">
            <Icon name="unplug" size={14} />
            {frozenWhy}
          </p>
        )}
        {place === 'inbox' && approval.kind === 'tool' && (
          <p className="tiny t3">
            {words.ifApproved} {words.ifDenied}
          </p>
        )}
        <CardActions
          words={words}
          toolName={approval.toolName}
          isLarge={place === 'inbox'}
          isArmed={isArmed}
          isRead={isRead}
          sending={state.type === 'sending' ? state.answer.decision : null}
          frozenWhy={frozenWhy}
          unapprovableWhy={unapprovableWhy}
          isEditing={draft.args !== null}
          isEdited={isEdited}
          onShowUnread={showUnread}
          onApprove={() => send('approved')}
          onApproveAndPause={() => send('approved', true)}
          onDeny={() => send('denied')}
          onEdit={edit}
          onDiscard={discard}
          takesKeys={takesKeys}
        />
      </div>
    </article>
  )
}

/** The reason why there is nothing to approve yet; null = there is. */
const unapprovableText = (
  whole: ReturnType<typeof useWholeApproval>,
  problem: ArgumentsProblem | null,
): string | null => {
  if (whole.type !== 'whole') return 'The arguments are not loaded yet.'
  return problem ? `Line ${problem.line} of ${problem.key ?? 'your arguments'} is not JSON.` : null
}
