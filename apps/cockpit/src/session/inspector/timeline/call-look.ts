// How a call looks: an icon, a word and a colour by its status.
import type { IconName } from '../../../ui/icon-names.ts'
import type { CallStatus } from './call.ts'

export interface CallLook {
  readonly icon: IconName
  readonly word: string
  /** The class of the icon, and that of the bar. */
  readonly tone: '' | 'running' | 'needs' | 'done' | 'failed' | 'late'
  readonly bar: '' | 'run' | 'wait' | 'to' | 'er' | 'no' | 'art'
}

export const callLooks: { readonly [status in CallStatus]: CallLook } = {
  running: { icon: 'loader-circle', word: 'running', tone: 'running', bar: 'run' },
  waiting: { icon: 'shield-alert', word: 'waiting', tone: 'needs', bar: 'wait' },
  none: { icon: 'minus', word: 'no outcome', tone: '', bar: 'no' },
  ok: { icon: 'circle-check', word: 'ok', tone: 'done', bar: '' },
  timeout: { icon: 'timer-off', word: 'timed out', tone: 'late', bar: 'to' },
  error: { icon: 'circle-x', word: 'error', tone: 'failed', bar: 'er' },
  denied: { icon: 'ban', word: 'denied', tone: '', bar: 'no' },
  artifact: { icon: 'package', word: 'artifact', tone: 'done', bar: 'art' },
}
