/** The question before an action, and what came of it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Question } from './actions.ts'
import { act } from './api.ts'
import { visible } from './format.ts'
import { h, type View } from './h.ts'

export interface Outcome {
  readonly ok: boolean
  readonly message: string
}

/** A modal dialog; Escape closes it, and the focus goes back to where it was. */
export function Modal(props: {
  readonly title: string
  readonly isWide?: boolean
  readonly close: () => void
  readonly children: ComponentChildren
}): View {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const element = dialog.current
    element?.showModal()
    return () => {
      element?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return h(
    'dialog',
    {
      ref: dialog,
      class: props.isWide === true ? 'wide' : '',
      'aria-labelledby': 'dialog-title',
      onCancel: (event: Event) => {
        event.preventDefault()
        props.close()
      },
      onClick: (event: MouseEvent) => {
        if (event.target === dialog.current) props.close()
      },
    },
    h('div', { class: 'dialog-body' }, h('h2', { id: 'dialog-title' }, props.title), props.children),
  )
}

export function Confirm(props: {
  readonly group: string
  readonly question: Question
  readonly close: () => void
  readonly done: (outcome: Outcome) => void
}): View {
  const { group, question, close, done } = props
  const [value, setValue] = useState(question.number?.value ?? 0)
  const [isBusy, setBusy] = useState(false)
  const wanted = question.number
  const isValid = wanted === undefined || (Number.isInteger(value) && value >= wanted.min && value <= wanted.max)
  const confirm = async (): Promise<void> => {
    setBusy(true)
    const answer = await act(group, question.action(value))
    close()
    done(answer.ok ? { ok: true, message: answer.value.message } : answer)
  }
  return h(
    Modal,
    { title: question.title, close },
    h(
      'form',
      {
        onSubmit: (event: Event) => {
          event.preventDefault()
          if (isValid && !isBusy) void confirm()
        },
      },
      h('p', null, question.text),
      wanted === undefined
        ? null
        : h(
            'label',
            { class: 'field' },
            wanted.label,
            h('input', {
              type: 'number',
              min: wanted.min,
              max: wanted.max,
              step: 1,
              value,
              onInput: (event: Event) => {
                if (event.target instanceof HTMLInputElement) setValue(Number(event.target.value))
              },
            }),
          ),
      h(
        'div',
        { class: 'dialog-buttons' },
        // First, so that it has the focus: Enter by mistake does nothing.
        h('button', { type: 'button', onClick: close }, 'Cancel'),
        h(
          'button',
          { type: 'submit', class: question.isDangerous ? 'danger' : 'primary', disabled: !isValid || isBusy },
          isBusy ? 'Working…' : question.verb,
        ),
      ),
    ),
  )
}

const shownMs = 10_000

/** Always there, so that a screen reader knows it before something is put into it. */
export function Outcomes({ outcome, close }: { readonly outcome: Outcome | null; readonly close: () => void }): View {
  useEffect(() => {
    // What went wrong stays until somebody has read it.
    if (outcome === null || !outcome.ok) return
    const leaving = setTimeout(close, shownMs)
    return () => clearTimeout(leaving)
  }, [outcome])
  return h(
    'div',
    { class: 'outcomes', 'aria-live': 'polite', role: 'status' },
    outcome === null
      ? null
      : h(
          'div',
          { class: outcome.ok ? 'outcome' : 'outcome outcome-bad' },
          h('span', null, `${outcome.ok ? 'Done' : 'Refused'}: ${visible(outcome.message)}`),
          h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close this message', onClick: close }, '×'),
        ),
  )
}
