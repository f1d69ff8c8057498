// Files hidden from people who read a session's files: settings and secrets of a server or app, and git's own files.
// Copies do not contain them, but a session that works in place runs beside them.
import { SERVER_DATA } from '../files/confined-folder.ts'

export { SERVER_DATA }

/** Never copied, whether committed or not. */
export const isSecretName = (name: string): boolean => /^(\.env|bridle\.config\.)/i.test(name)

/** Hidden when a session works in place. */
export const isOwnersName = (name: string): boolean => isSecretName(name) || name === SERVER_DATA || name === '.git'
