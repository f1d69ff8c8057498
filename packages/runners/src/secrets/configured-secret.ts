// BRIDLE_SECRET as an operator gives it. The server signs and seals everything with it, so a short secret is refused.

/** 128 bits, even where somebody writes them as hexadecimal digits. */
const SECRET_CHARS_MIN = 32

/** Null = the operator sets none. Throws when the secret could be guessed. */
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
