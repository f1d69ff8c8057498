import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { fileNames } from './file-names.ts'

/** The files that went with a prompt, by name. */
export const PromptFiles = ({ input }: { readonly input: unknown }) => {
  const names = fileNames(input)
  if (names.length === 0) return null
  return (
    <ul className="prompt-files" aria-label="Files">
      {names.map((name, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and the list never changes
        <li key={at} className="chip">
          <Icon name="upload" size={14} />
          <span className="trunc">{visibleText(name)}</span>
        </li>
      ))}
    </ul>
  )
}
