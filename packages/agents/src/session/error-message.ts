// The message of an error, as the log and callers read it.
import { thrownText } from '@bridle/kernel/text/thrown-text'
import { truncate } from '@bridle/kernel/text/truncate'
import { ERROR_CHARS_MAX } from './limits.ts'

/** The message of an error: short, and without a stack. `platform` is the runtime's own name for itself. */
export const shortErrorMessage = (error: unknown, platform = globalThis.navigator?.userAgent): string => {
  const text = thrownText(error)
  const message = text.length > ERROR_CHARS_MAX ? `${truncate(text, ERROR_CHARS_MAX)}…` : text
  return isDiskRefusal(error, platform) ? `${message} (${NO_DISK})` : message
}

/** A Worker refuses every write of `node:fs` as not permitted, without a path. */
const isDiskRefusal = (error: unknown, platform: string | undefined): boolean =>
  platform === 'Cloudflare-Workers' &&
  error instanceof Error &&
  'syscall' in error &&
  'code' in error &&
  DISK_CODES.has(error.code)

const DISK_CODES: ReadonlySet<unknown> = new Set(['EPERM', 'EROFS', 'ENOSYS'])
const NO_DISK = 'A Worker has no disk. Keep results in the session, or call a service.'
