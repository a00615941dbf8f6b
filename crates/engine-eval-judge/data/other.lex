# Stop words of languages that have no word lists: a reply in one of them is recognised, and not judged. Words that
# another listed language shares are left out where they would outweigh the rest.
af: die | en | nie | jou | jy | is | dit | om | te | vir | met | ek | kan | wat | hierdie | het | sal | ons | hulle | daarmee | moet | baie | asseblief | hoe | maar | jammer | help nie | 'n
sq: dhe | të | në | për | është | një | me | nuk | që | mund | kjo | ju | unë | jam | nga | si | por | këtë | janë | më | ndihmoj | s
az: və | bu | bir | üçün | ilə | mən | siz | deyil | edə | bilmərəm | kömək | sizə | var | nə | amma | olan | də
eu: eta | ez | da | dut | hau | bat | ezin | dizut | zure | baina | izan | du | dira | nola | horretan | lagundu | naiz
ca: amb | això | què | molt | però | els | puc | és | més | pel | ajudar | te | tinc | una | aquest | aquesta | vostè | aquí | què | ni | em | pots | ho | sóc | perquè | per
gl: non | podo | axudar | axudarche | unha | eu | iso | pero | moi | isto | coa | dun | dunha | ti | é | máis | esta | posible | nin | polo
cy: yn | y | i | ac | mae | ni | allaf | gallaf | chi | hyn | ar | am | eich | helpu | gyda | hynny | nid | wrth | yw | rwy | ddim
id: dan | yang | tidak | saya | untuk | dengan | ini | itu | anda | bisa | dapat | membantu | di | dari | akan | adalah | maaf | atau | tersebut | kami | boleh | boleh | kepada | awak | ialah
vi: không | thể | và | của | là | tôi | bạn | cho | được | này | với | một | có | những | giúp | xin | lỗi | việc | điều | đó
sw: na | ya | kwa | ni | hii | siwezi | wewe | mimi | katika | hilo | kukusaidia | kusaidia | lakini | kuwa | wa | za | jambo | samahani | la | hiyo | unaweza
tl: ang | ng | mga | sa | hindi | ko | ako | kita | na | ito | iyon | mo | ay | po | kayo | para | matutulungan | pero | paumanhin | maaari
so: waa | iyo | ma | kuu | caawin | karo | kugu | ku | waxaan | ka | oo | waxa | laakiin | uma | tani | arrintan
ha: ba | da | zan | iya | taimaka | maka | wannan | ina | ne | ce | amma | kuma | don | ga | yi | haka
yo: mi | o | ni | kò | le | ran | ọ | lọ́wọ́ | pẹ̀lú | ati | ti | kí | àti | náà | ṣe | fún | rẹ
zu: ngeke | ngikwazi | ngiyaxolisa | ukukusiza | uma | futhi | kodwa | lokho | kulokho | ukuthi | le | ngoba | kanye | yakho | mina
eo: kaj | ne | povas | vi | mi | la | estas | ĉi | kun | por | tio | helpi | pri | sed | kiel | tion | vin
ku: ez | nikarim | alîkariya | te | bikim | ji | bo | û | di | vê | de | bi | lê | ev | min
uz: va | bu | men | siz | uchun | bilan | emas | olmayman | yordam | bera | sizga | lekin | kerak | qila | haqida
ht: mwen | pa | kapab | ede | ou | nan | ak | sa | pou | yon | li | yo | se | men | eskize
mk: да | не | можам | ви | помогнам | со | ова | и | е | во | на | тоа | ќе | но | за | сум | јас | се | од | што
be: не | магу | вам | гэта | і | у | з | што | як | для | але | дапамагчы | я | гэтым | ёсць | вы | мне | гэтага
kk: және | бұл | мен | сіз | үшін | емес | алмаймын | көмек | көмектесе | бір | деген | бірақ | кешіріңіз | бере
mn: би | та | энэ | нь | болон | танд | тусалж | чадахгүй | байна | уучлаарай | юм | гэж | мөн | надад
