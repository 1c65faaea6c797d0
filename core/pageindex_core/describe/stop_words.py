"""Words that tell nothing about a section, in the languages of most documents.

Only those of four letters and more: shorter words are never key items.
"""

from __future__ import annotations

_ENGLISH = """
able about above according across after again against ahead almost alone along already also although always among
another anybody anyone anything anywhere around away back based became because become becomes been before behind being
below beneath beside besides better between beyond billion both came cannot certain come comes coming could down
during each either else enough especially even ever every everybody everyone everything everywhere except fact first
following follows four from full further furthermore gave generally give given gives giving goes going gone good great
have having held hence here herein hereof however hundred including indeed inside instead into itself just keep keeps
kept kind knew know known knows largely last later least less like likely made mainly make makes making many mean
meaning means meant might million millions more moreover most mostly much must name named namely near nearly necessary
need needed needs neither never nevertheless next nobody none nothing nowhere often once only onto other others
otherwise ours outside over overall particular particularly percent perhaps please possible primarily provided quite
rather really regarding related relevant respectively said same says second seem seems seen several shall should show
showed shown shows side similar since some somebody someone something sometimes somewhere soon still subject such sure
take taken takes taking than that their theirs them themselves then there thereby therefore therein thereof these they
thing things third this those though thousand three through throughout thus together told took toward towards twice
under underneath unless unlike until upon used useful uses using usually various very want wants well went were what
whatever when whenever where whereas whereby wherein wherever whether which whichever while whole whom whose will with
within without would year years your yours yourself
"""
_GERMAN = """
aber alle allem allen aller allerdings alles also andere anderem anderen anderer anderes auch außer außerdem beim
bereits bevor bisher dabei dadurch dafür dagegen daher damit danach daneben dann daran darauf daraus darf darin
darüber darum darunter dass davon davor dazu dein denen denn dennoch deren derer dessen deshalb dich diese diesem
diesen dieser dieses doch dort durch dürfen eben ebenfalls ebenso eigenen eine einem einen einer eines einige einigen
einmal entweder erst etwa etwas euch falls ferner ganz gegen gegenüber gehabt gemäß gern gewesen gibt habe haben hatte
hatten hier hierbei hierfür hinter ihnen ihre ihrem ihren ihrer ihres immer indem innerhalb insbesondere jede jedem
jeden jeder jedes jedoch jeweils jene jenem jenen jener kann kaum kein keine keinem keinen keiner können könnte lassen
machen manche mehr mein meist mich müssen muss nach nachdem neben nicht nichts noch oben oder ohne schon sehr sein
seine seinem seinen seiner seit seitdem selbst sich sind sobald sofern sogar solche sollen sollte somit sondern sonst
soweit sowie sowohl statt stets trotz über überall unter unser unsere viel viele vielmehr voll wann waren warum weder
wegen weil weitere weiteren welche welchem welchen welcher welches wenig wenn werden wieder wird wobei wollen worden
wurde wurden während zudem zwar zwischen
"""
_FRENCH = """
afin ailleurs ainsi alors après assez aucun aucune aujourd aura auront aussi autre autres auquel avait avant avec
avoir ayant beaucoup bien cela celle celles celui cependant certain certaine certains cette ceux chaque chez comme
comment concernant contre dans depuis dernier derrière desquels dessous dessus deux devant devez devra doit doivent
donc dont duquel durant elle elles encore enfin ensuite entre environ était étaient étant être fait faire faut fois
font furent hors jamais jusque laquelle lequel lesquels leur leurs lors lorsque mais malgré même mêmes mieux moins
notamment notre nous parce parfois parmi pendant peut peuvent plus plusieurs plutôt pour pourquoi pourtant presque
près puis puisque quand quel quelle quelles quelque quelques quels quoi sans sauf selon sera seront seulement sinon
soit sont sous souvent suivant suivante sujet surtout tandis tant telle telles tels toujours tous tout toute toutefois
toutes très trop vers voici voilà votre vous
"""
_SPANISH = """
además ahora algo alguien algún alguna algunas alguno algunos ante antes apenas aquel aquella aquellos aquí aunque
bajo bastante bien cada casi cierto como contra cual cuales cualquier cuando cuanto cuya cuyo debe deben debido dentro
desde después donde durante ella ellas ellos embargo encima entonces entre eran esos esta está están estar estas este
esto estos fuera fueron había haber hace hacer hacia hasta incluso junto lugar luego mayor mediante menos mientras
misma mismo mucha muchas mucho muchos nada nadie ningún ninguna nosotros nuestra nuestro nunca otra otras otro otros
para parece pero poco pocos podrá pueda puede pueden pues quien quienes sean según será serán sido siempre siendo sino
sobre solamente solo sólo somos suya suyo también tampoco tanto tenemos tener tiene tienen toda todas todavía todo
todos tras través unas unos usted ustedes varios veces
"""
_ITALIAN = """
alcun alcuna alcune alcuni alla alle allo allora altra altre altri altro anche ancora anzi appena attraverso avere
aveva avrà ciascun cioè circa come comunque contro così cosa dagli dalla dalle dallo davanti degli dell della delle
dello dentro deve devono dietro dopo dove dunque durante ebbe ecco ella entrambi entro erano essa esse essere essi
fare fatto fino fosse fuori hanno infatti inoltre invece loro lungo malgrado mediante meno mentre molta molte molti
molto negli nella nelle nello nessun nessuna niente nostra nostro nulla ogni ognuno oltre oppure perché però piuttosto
poca poche pochi poco poiché presso prima proprio possono qual quale quali qualche quando quanto quasi quella quelle
quelli quello questa queste questi questo quindi sarà saranno secondo sempre senza siano sono sopra sotto stata state
stati stato stesso sugli sulla sulle sullo tale tali tanto tramite tutta tuttavia tutte tutti tutto vengono verso
viene vostra vostro
"""
_PORTUGUESE = """
acima ainda além algo alguém algum alguma algumas alguns antes apenas após aquela aquele aqueles aqui assim através
cada caso como contra contudo cuja cujo dela dele deles demais dentro depois desde dessa desse desta deste deve devem
disso durante elas eles embora enquanto então entre entretanto eram essa essas esse esses está estão estar estas este
estes fazer feito foram fora havia isso isto junto lhes logo mais mediante menos mesma mesmo muita muitas muito muitos
nada nela nele nenhum nenhuma nessa nesse nesta neste ninguém nossa nosso nunca onde outra outras outro outros para
pela pelas pelo pelos perante pode podem poder pois porém porque portanto pouco poucos própria próprio quais qual
qualquer quando quanto quase quem seja sejam sempre sendo será serão seus sido sobre somente suas também tanto tendo
teve toda todas todavia todo todos tudo umas você vários
"""
_DUTCH = """
achter alle alleen alles altijd ander andere anders behalve beide beneden binnen boven buiten daar daarbij daarna
daarom daarvan dadelijk deze dezelfde door echter eens eerst elke elkaar enige enkele ervan geen geweest haar hebben
hebt heeft hier hierbij hiervan hoewel hunne iedere iemand iets indien inzake jullie kunnen kunt langs later maar meer
meest mijn misschien moet moeten mogen naar naast nadat niemand niet niets nooit noch ofwel omdat onder ondanks
ongeveer onze ooit opnieuw over reeds sinds slechts sommige steeds tegen tenzij terwijl tevens toch toen tussen
uitsluitend vaak vanaf vanuit vanwege veel verder volgens voor vooral voordat waar waarbij waarin waarom waarvan waren
wanneer want weer wegens weinig welke werd werden wordt worden zelf zelfs zich zijn zoals zodat zonder zouden zowel
zullen
"""
_RUSSIAN = """
более больше будет будут была были было быть ведь весь вместе вместо возле вокруг всегда всего всех вдруг даже других
другие другой если есть зато здесь изза иногда именно итак каждый какая какие какой когда которая которого которое
которой которые который которых кроме куда либо лишь между меня менее много может можно надо нами наши него некоторые
нельзя несколько нибудь ними ничего однако около опять очень перед поскольку после потому почти почему поэтому притом
причем пусть ради разве сами свои своих себе себя сейчас совсем среди такая также такие такой тебя теперь тоже только
тогда того тому туда хотя чего через чтобы чтоб чуть этих этого этой этом является являются
"""

STOP_WORDS = frozenset(
    " ".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH, _RUSSIAN)).split()
)
"""Function words of eight languages, with the verbs and nouns that every text is full of."""
