import type {Page} from './page.js'

export const pathsPage: Page = {
  name: 'paths',
  title: 'How to name files and other things',
  blocks: [
    {
      heading: 'A FILE OR A FOLDER',
      entries: [
        {name: '/Reports/q3.pdf', words: 'Its path in My Drive; / is the top.'},
        {name: 'drive:Finance/q3.pdf', words: 'Its path in the shared drive Finance.'},
        {name: 'shared:/plan.txt', words: 'What somebody else shares with you.'},
        {name: 'trash:/Reports/old.txt', words: 'What is in the trash, by the path it had.'},
        {name: 'https://…', words: 'A link that a browser shows for it.'},
        {name: '1a2B3c…', words: 'Its ID; id:1a2B3c… where that could be a path.'},
      ],
    },
    {
      heading: 'OTHER THINGS',
      entries: [
        {name: 'a shared drive', words: 'Its name or its ID.'},
        {name: 'a permission', words: 'An e-mail address, anyone, or its ID.'},
        {name: 'a revision', words: 'Its ID; head is the latest.'},
        {name: '-', words: 'Lines of standard input, or content from there.'},
      ],
    },
    'Names may be those of several things, for the service allows that. A name of two things is never guessed at: nothing is done, both are shown with their IDs, and the command ends with 12. At a terminal it asks which.',
    'Paths of things in the trash are found by trash: alone, so that nothing happens to them by accident. What no path leads to, such as a title with a slash in it, has the path id:ID. Put a path with blanks in quotes.',
    {
      shell: [
        'drv stat /notes.txt',
        'drv mkdir -p /Reports/2026',
        'drv cp /notes.txt "/Reports/2026/Notes, May.txt"',
      ],
    },
  ],
}
