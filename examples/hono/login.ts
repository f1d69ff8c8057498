// The app's own login: a name, and a cookie. Put yours here.
import { randomUUID } from 'node:crypto'

const users = new Map<string, string>()

/** The cookie of a user who has just signed in. */
export const signIn = (name: string): string => {
  const session = randomUUID()
  users.set(session, name)
  return `session=${session}; HttpOnly; SameSite=Lax; Path=/`
}

/** The user of a request; null = nobody is signed in. */
export const userOf = (request: Request): string | null =>
  users.get(/(?:^|;\s*)session=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? '') ?? null
