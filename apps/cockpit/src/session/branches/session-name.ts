import type { TreeSession } from 'bridle/client'
import { foldScript } from '../../ui/script-text.ts'

/** The title of a session of a tree, or else its id. */
export const titleOf = ({ id, title }: Pick<TreeSession, 'id' | 'title'>): string => (title ? foldScript(title) : id)
