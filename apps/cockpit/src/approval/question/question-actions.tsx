import type { GivenAnswer } from 'bridle/client'
import { plural } from 'bridle/words'
import { useRef } from 'react'
import { keyHintOf } from '../../actions/action-table.ts'
import { useAction, useActionList } from '../../actions/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { exactText } from '../../ui/exact-text.ts'
import { Kbd } from '../../ui/kbd.tsx'
import type { CardApproval } from '../card-approval.ts'
import { whenInSight } from '../in-sight.ts'
import { turnedForm } from './form-draft.ts'
import type { AnswerState } from './question-draft.ts'
import { askedText } from './question-words.ts'
import type { AskedRequest, RequestDraft } from './request-draft.ts'
import { KEYED_OPTIONS, type QuestionChoice } from './use-question-choice.ts'

interface QuestionActionsProps {
  readonly approval: CardApproval
  readonly request: AskedRequest | null
  readonly draft: RequestDraft | null
  readonly answer: AnswerState<GivenAnswer> | null
  /** Parts that do not fit. */
  readonly problemCount: number
  /** The options that keys select. */
  readonly choices: readonly QuestionChoice[]
  readonly isLarge: boolean
  /** A card that just appeared takes no answer yet. */
  readonly isArmed: boolean
  /** The end of everything that is asked has been on the screen. Answering waits for that, declining does not. */
  readonly isRead: boolean
  /** The reason why nothing can be decided now; null = it can. */
  readonly frozenWhy: string | null
  readonly sending: 'approved' | 'denied' | null
  /** The keys of the whole page answer this card, except in text fields. */
  readonly takesKeys: boolean
  readonly onShowUnread: () => void
  readonly onAnswer: () => void
  readonly onDecline: () => void
  readonly onPick: (choice: QuestionChoice) => void
  /** Null = the current question takes one answer. */
  readonly onClear: (() => void) | null
  readonly onChange: (draft: RequestDraft) => void
}

export const QuestionActions = (props: QuestionActionsProps) => {
  const { approval, request, draft, answer, choices, isLarge, isArmed, isRead, frozenWhy, sending } = props
  const acts = useRef<HTMLFieldSetElement>(null)
  const isOff = frozenWhy !== null || sending !== null
  const canAnswer = isArmed && !isOff
  const isComplete = answer?.given !== undefined
  const keyed = { detail: exactText(askedText(approval)).slice(0, DETAIL_CHARS), isPageWide: props.takesKeys }
  const inSight = (act: () => void) => (props.takesKeys ? whenInSight(acts, act) : act)
  const answerOrRead = isRead ? inSight(props.onAnswer) : props.onShowUnread
  useAction('question.answer', canAnswer && isComplete ? answerOrRead : null, keyed)
  useAction('question.decline', canAnswer ? inSight(props.onDecline) : null, keyed)
  useAction('question.none', canAnswer && props.onClear ? inSight(props.onClear) : null, keyed)
  useActionList(
    'question.select',
    choices.slice(0, canAnswer ? KEYED_OPTIONS : 0).map((choice, at) => ({
      run: inSight(() => props.onPick(choice)),
      detail: choice === null ? 'Something else' : exactText(choice),
      keys: String(at + 1),
      isPageWide: props.takesKeys,
    })),
  )
  const turned = request?.schema && draft ? turnedForm(request.schema, draft.form) : null
  const [only] = request?.questions ?? []
  const isSeveral = request?.questions?.length === 1 && only?.multi_select && choices.length > 0
  const count = Object.values(answer?.given?.answers ?? {})[0]?.length ?? 0
  return (
    <fieldset ref={acts} className="acts" disabled={!isArmed} aria-label="Your answer">
      <Button
        look="primary"
        icon="send"
        keyHint={choices.length > 0 ? keyHintOf('question.answer') : 'Ctrl+Enter'}
        isLarge={isLarge}
        isBusy={sending === 'approved'}
        isDisabled={isOff || !isComplete || !isRead}
        {...(frozenWhy !== null && { title: frozenWhy })}
        onClick={props.onAnswer}
      >
        {isSeveral && isComplete ? `Answer with ${count === 0 ? 'none' : count}` : 'Answer'}
      </Button>
      <Button
        keyHint={keyHintOf('question.decline')}
        isLarge={isLarge}
        isBusy={sending === 'denied'}
        isDisabled={isOff}
        {...(frozenWhy !== null && { title: frozenWhy })}
        onClick={props.onDecline}
      >
        Decline
      </Button>
      {isSeveral && props.onClear && (
        <Button
          look="ghost"
          keyHint={keyHintOf('question.none')}
          isLarge={isLarge}
          isDisabled={isOff}
          onClick={props.onClear}
        >
          Select none
        </Button>
      )}
      {request?.schema && draft && (
        <Button
          look="ghost"
          icon="braces"
          isLarge={isLarge}
          isDisabled={isOff || turned === null}
          onClick={() => turned && props.onChange({ ...draft, form: turned })}
        >
          {draft.form.json === null ? 'Edit as JSON' : 'Edit as form'}
        </Button>
      )}
      {draft && draft.note === null && (
        <Button
          look="ghost"
          icon="message-square"
          isLarge={isLarge}
          isDisabled={isOff}
          onClick={() => props.onChange({ ...draft, note: '' })}
        >
          Add a note
        </Button>
      )}
      <span className="right small t2 question-state" role="status">
        <AnswerHint {...props} />
      </span>
    </fieldset>
  )
}

/** Characters of a question in a row of the palette. */
const DETAIL_CHARS = 200

/** Open problems and missing answers, or else the keys that select. */
const AnswerHint = ({ request, answer, problemCount, isArmed, isRead, frozenWhy, choices }: QuestionActionsProps) => {
  if (frozenWhy !== null || request === null || answer === null) return null
  const part = request.schema ? 'field' : 'answer'
  if (problemCount > 0) return <span className="danger">{plural(problemCount, part)} to fix</span>
  if (isArmed && !isRead) return 'Scroll to the end to answer'
  const last = Math.min(choices.length, KEYED_OPTIONS)
  if (answer.missing > 0 && (request.schema || (request.questions?.length ?? 0) > 1))
    return `${plural(answer.missing, request.schema ? 'required field' : 'question')} left`
  if (last < 2) return null
  return (
    <span className="no-phone question-keys">
      <Kbd>1</Kbd> to <Kbd>{String(last)}</Kbd> select
    </span>
  )
}
