// The threads of the user: switch, new, rename, delete.
import { useThreads } from 'bridle/react'
import { type FormEvent, useState } from 'react'
import { list, showThread } from './client.tsx'

export const Threads = ({ onError }: { onError: (error: unknown) => void }) => {
  const { threads, current, create, rename, remove } = useThreads(list)
  const [isNaming, setNaming] = useState(false)
  const thread = threads.find(({ id }) => id === current)
  const start = () => create().then(({ id }) => showThread(id), onError)
  const erase = () => thread && remove(thread.id).then(() => showThread(null), onError)
  const name = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget).get('title'))
    setNaming(false)
    if (thread) rename(thread.id, title).catch(onError)
  }
  return (
    <nav className="threads" aria-label="Conversations">
      {isNaming ? (
        <form onSubmit={name}>
          <input name="title" aria-label="Title" defaultValue={thread?.title} maxLength={200} required />
        </form>
      ) : (
        <select aria-label="Threads" value={current ?? ''} onChange={({ target }) => showThread(target.value)}>
          {!thread && <option value={current ?? ''}>This thread</option>}
          {threads.map(({ id, title }) => (
            <option key={id} value={id}>
              {title || 'New thread'}
            </option>
          ))}
        </select>
      )}
      <button type="button" className="button" onClick={start}>
        New thread
      </button>
      {thread && !isNaming && (
        <>
          <button type="button" className="button" onClick={() => setNaming(true)}>
            Rename
          </button>
          <button type="button" className="button" onClick={erase}>
            Delete
          </button>
        </>
      )}
    </nav>
  )
}
