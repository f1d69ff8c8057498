// Files of a folder's owner that nobody is shown who reads the files of a session: settings and secrets of a server and of an app, and
// git's own files. A copy has none of them; a session that works in place works beside them.
import { SERVER_DATA } from '../files/confined-folder.ts'

export { SERVER_DATA }

/** Files with settings and secrets of a server are never copied, committed or not. */
export const isSecretName = (name: string): boolean => /^(\.env|bridle\.config\.)/i.test(name)

/** Never shown of a folder in which a session works in place. */
export const isOwnersName = (name: string): boolean => isSecretName(name) || name === SERVER_DATA || name === '.git'
