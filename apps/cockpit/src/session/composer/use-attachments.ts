// Files for the next prompt: each is uploaded when it is chosen.
import type { UploadGrant } from 'bridle/client'
import { useState } from 'react'
import { showError } from '../../ui/toast.tsx'
import { useThreadSource } from '../thread/thread-context.tsx'

export interface Attachment {
  readonly key: number
  readonly name: string
  /** Null while the file is on its way. */
  readonly grant: UploadGrant | null
}

let lastKey = 0

export const useAttachments = () => {
  const { harness } = useThreadSource()
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const remove = (key: number): void => setAttachments((list) => list.filter((each) => each.key !== key))
  const add = async (file: File): Promise<void> => {
    lastKey += 1
    const key = lastKey
    setAttachments((list) => [...list, { key, name: file.name, grant: null }])
    try {
      const grant = await harness.upload(file)
      setAttachments((list) => list.map((each) => (each.key === key ? { ...each, grant } : each)))
    } catch (error) {
      remove(key)
      showError(error)
    }
  }
  return { attachments, add, remove, clear: () => setAttachments([]) }
}
