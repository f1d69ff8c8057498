// BRIDLE_SECRET as an operator gives it. Everything that a server signs or seals hangs on it, so a short one is refused.
import { SECRET_CHARS_MIN } from '../limits.ts'

/** Null = none is given. Throws when the secret could be guessed. */
export const configuredSecret = ({
  BRIDLE_SECRET: secret,
}: {
  readonly BRIDLE_SECRET?: string | undefined
}): string | null => {
  if (!secret) return null
  if (secret.length < SECRET_CHARS_MIN)
    throw new Error(
      `BRIDLE_SECRET has ${secret.length} characters and needs at least ${SECRET_CHARS_MIN}. Make one by: openssl rand -hex 32`,
    )
  return secret
}
