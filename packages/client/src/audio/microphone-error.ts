/** Why there is no microphone. */
export type MicrophoneProblem = 'denied' | 'insecure' | 'in_use' | 'missing' | 'unsupported'

const SENTENCES: { readonly [P in MicrophoneProblem]: string } = {
  denied: 'The microphone is blocked for this page. Allow it beside the address of the page, then try again.',
  insecure: 'Browsers lend the microphone to secure pages only. Open this page over https, or on localhost.',
  in_use: 'Another program uses the microphone. Close it, then try again.',
  missing: 'There is no microphone. Connect one, then try again.',
  unsupported: 'This browser cannot record sound for a page. Use a current version of Chrome, Firefox or Safari.',
}

/** Thrown if there is no microphone. Match `code`; the message is for the user. */
export class MicrophoneError extends Error {
  /** Always `MicrophoneError`. */
  override readonly name = 'MicrophoneError'
  /** The reason. */
  readonly code: MicrophoneProblem

  constructor(code: MicrophoneProblem, cause?: unknown) {
    super(SENTENCES[code], cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export const microphoneProblem = (): MicrophoneProblem | null => {
  if (globalThis.isSecureContext === false) return 'insecure'
  const canRecord = globalThis.navigator?.mediaDevices?.getUserMedia !== undefined
  return canRecord && typeof AudioWorkletNode !== 'undefined' ? null : 'unsupported'
}

const PROBLEMS: { readonly [name: string]: MicrophoneProblem | undefined } = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'in_use',
  AbortError: 'in_use',
}

export const toMicrophoneError = (cause: unknown): MicrophoneError => {
  if (cause instanceof MicrophoneError) return cause
  return new MicrophoneError(PROBLEMS[(cause as { name?: string }).name ?? ''] ?? 'unsupported', cause)
}
