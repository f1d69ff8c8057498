// The name for each thing that helps a session, wherever it is offered.
import type { Health } from './budget-values.ts'

type RecoveryAction = NonNullable<Health['recovery_hint']>['action']

export const recoveryNames: { readonly [action in RecoveryAction]: string } = {
  answer_approval: 'Answer the approval',
  resume: 'Resume',
  pause: 'Pause',
  branch: 'Branch',
  submit: 'Send the prompt again',
  wait: 'It is tried again by itself',
  cancel: 'Stop',
}

/** The server's sentence about an action; empty where the name of the action says all of it. */
export const moreThanName = (action: string | null, sentence: string | null): string => {
  if (sentence === null) return ''
  const words = sentence.replace(/\.$/, '')
  const name = Object.entries(recoveryNames).find(([each]) => each === action)?.[1]
  const isSame = words.toLowerCase().replace(/ the session$/, '') === name?.toLowerCase()
  return isSame ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
